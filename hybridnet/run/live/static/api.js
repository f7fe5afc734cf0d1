// SPDX-License-Identifier: MIT
// The page's own REST interface. The cookie that came with the page is its key.

const PREFIX = "/api/v1";

const AGAIN_MS = 300;
const TRIES = 3;
const REOPEN_MS = 2000;

export class Refused extends Error {}

// Asks, and asks again where nothing would be done twice: browsers break requests off when an interface of their
// computer comes or goes.
async function fetched(path, options) {
  for (let tries = options.repeatable ? TRIES : 1; ; --tries) {
    try {
      return await fetch(PREFIX + path, options);
    } catch {
      if (tries === 1) throw new Refused("hybridnet does not answer; has the network been stopped?");
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    }
  }
}

export async function ask(method, path, body, repeatable = method === "GET") {
  const options = { method, headers: {}, credentials: "same-origin", repeatable };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetched(path, options);
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error || `status ${answer.status}`);
  return said;
}

export const get = (path) => ask("GET", path);
export const part = (name) => encodeURIComponent(name);

export function listen(onUpdate, onGone) {
  const source = new EventSource(`${PREFIX}/events`);
  source.onmessage = (event) => onUpdate(JSON.parse(event.data));
  source.onerror = () => {
    onGone("The connection to hybridnet is lost; trying again.");
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(onUpdate, onGone), REOPEN_MS);
  };
  source.addEventListener("end", () => {
    source.close();
    onGone("The network has been stopped.");
  });
}

export function terminalSocket(node) {
  const socket = new WebSocket(`ws://${location.host}${PREFIX}/nodes/${part(node)}/terminal`);
  socket.binaryType = "arraybuffer";
  return socket;
}

export const captureFile = (number) => `${PREFIX}/captures/${number}/file`;
