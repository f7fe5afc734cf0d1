// SPDX-License-Identifier: MIT
// Making elements of the page. Text is always text: nothing that the network says becomes markup.

export function make(kind, properties = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

let hiding = 0;

export function notice(text) {
  const box = document.getElementById("notice");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { box.hidden = true; }, 7000);
}

// Runs what asks hybridnet, and shows why it was refused.
export async function trying(action) {
  try {
    return await action();
  } catch (error) {
    notice(error.message);
    return undefined;
  }
}
