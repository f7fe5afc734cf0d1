// SPDX-License-Identifier: MIT
// The page's own REST interface. The cookie that came with the page is its key.

const PREFIX = "/api/v1";

export class Refused extends Error {}

export async function ask(method, path, body) {
  const options = { method, headers: {}, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(PREFIX + path, options);
  } catch {
    throw new Refused("hybridnet does not answer; has the network been stopped?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error || `status ${answer.status}`);
  return said;
}

export const get = (path) => ask("GET", path);
export const part = (name) => encodeURIComponent(name);

export function listen(onUpdate, onGone) {
  const source = new EventSource(`${PREFIX}/events`);
  source.onmessage = (event) => onUpdate(JSON.parse(event.data));
  source.onerror = () => onGone("The connection to hybridnet is lost; trying again.");
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
