// SPDX-License-Identifier: MIT
// Terminals in the drawer at the bottom: xterm.js over a WebSocket each.

import { terminalSocket } from "./api.js";

const drawer = document.getElementById("drawer");
const tabs = drawer.querySelector(".tabs");
const screens = drawer.querySelector(".screens");
const open = new Map(); // by number of the terminal
let numbers = 0;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let library = null; // it is large, and most never open a terminal

function load(source) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${source} cannot be loaded; try again`));
    document.head.append(script);
  });
}

export async function openTerminal(node) {
  library ??= load("vendor/xterm.js").then(() => load("vendor/addon-fit.js"))
    .catch((error) => { library = null; throw error; });
  await library;
  const number = ++numbers;
  const tab = document.createElement("button");
  tab.setAttribute("role", "tab");
  tab.append(node);
  const close = document.createElement("span");
  close.className = "close";
  close.textContent = "×";
  close.title = "Close this terminal";
  tab.append(close);
  const screen = document.createElement("div");
  screen.className = "screen";
  tabs.append(tab);
  screens.append(screen);
  drawer.hidden = false;

  const terminal = new Terminal({
    fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, monospace", fontSize: 13, scrollback: 5000, cursorBlink: true,
    theme: { background: colour("--terminal"), foreground: colour("--terminal-ink"), cursor: colour("--accent") },
  });
  const fit = new FitAddon.FitAddon();
  terminal.loadAddon(fit);
  terminal.open(screen);
  const socket = terminalSocket(node);
  const told = () => socket.readyState === WebSocket.OPEN &&
    socket.send(JSON.stringify({ rows: terminal.rows, columns: terminal.cols }));
  const keys = new TextEncoder();
  socket.onopen = () => { fit.fit(); told(); terminal.focus(); };
  socket.onmessage = (event) => terminal.write(new Uint8Array(event.data));
  socket.onclose = (event) => {
    terminal.write(`\r\n\x1b[2m${event.reason || "the connection is closed"}\x1b[0m\r\n`);
    tab.classList.add("ended");
  };
  terminal.onData((data) => socket.readyState === WebSocket.OPEN && socket.send(keys.encode(data)));
  terminal.onResize(told);
  const watching = new ResizeObserver(() => screen.classList.contains("shown") && fit.fit());
  watching.observe(screen);

  open.set(number, { tab, screen, terminal });
  tab.onclick = (event) => {
    if (event.target !== close) return show(number);
    watching.disconnect();
    socket.close();
    terminal.dispose();
    tab.remove();
    screen.remove();
    open.delete(number);
    if (open.size === 0) drawer.hidden = true;
    else show([...open.keys()].pop());
  };
  show(number);
  requestAnimationFrame(() => fit.fit());
}

function show(number) {
  for (const [other, { tab, screen, terminal }] of open) {
    const shown = other === number;
    tab.setAttribute("aria-selected", shown);
    screen.classList.toggle("shown", shown);
    if (shown) terminal.focus();
  }
}
