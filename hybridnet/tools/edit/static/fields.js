// SPDX-License-Identifier: MIT
// Forms of options, made from how hybridnet declares them. What is written means what it would mean in a YAML file.

import { ask } from "./api.js";
import { make } from "./elements.js";
import { EXAMPLES, USUAL } from "./form.js";

const FIRST = 6; // shown at once, besides those that have a value

// Makes the fields of some options. `values` are those that hold, `set` gets an option and its value, or undefined.
// Returns the element, and `wrong`, which shows what is wrong with options by their names.
export function fieldsOf(fields, values, set) {
  const known = fields.map(({ name }) => name);
  const declared = [...fields].sort((one, other) => rank(one) - rank(other));
  const others = Object.keys(values).filter((name) => !known.includes(name)).map((name) => ({ name, kind: "text", unit: "", help: "unknown here", default: "", choices: [] }));
  const shown = new Map([...declared, ...others].map((field) => [field.name, oneField(field, values[field.name], set)]));
  const isFirst = ({ name }, at) => at < FIRST || USUAL.includes(name) || values[name] !== undefined;
  const all = [...declared, ...others];
  const rest = all.filter((field, at) => !isFirst(field, at));
  const more = make("details", { class: "wide" }, make("summary", {}, `${rest.length} more`), make("div", { class: "fields" }, rest.map(({ name }) => shown.get(name).element)));
  const element = make("form", { class: "fields", onsubmit: (event) => event.preventDefault() },
    all.filter(isFirst).map(({ name }) => shown.get(name).element), rest.length > 0 ? more : null);
  return {
    element,
    wrong(whys) {
      for (const [name, field] of shown) field.wrong(whys.get(name) ?? "");
      if (rest.some(({ name }) => whys.has(name))) more.open = true;
    },
  };
}

// What most links have comes first; all else stays in its order.
const rank = ({ name }) => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);

function oneField(field, value, set) {
  const { name, unit, help } = field;
  const why = make("span", { class: "why", role: "alert" });
  const control = controlOf(field, value);
  const example = EXAMPLES[field.kind];
  const element = make("label", { "data-option": name, title: example ? `such as ${example}` : null }, unit ? `${name} (${unit})` : name, control, make("span", { class: "help" }, help), why);
  const wrong = (text) => {
    why.textContent = text;
    element.classList.toggle("wrong", text !== "");
    control.setAttribute("aria-invalid", String(text !== ""));
  };
  control.onchange = async () => {
    try {
      const read = await valueOf(field, control.value);
      wrong("");
      set(name, read);
    } catch (error) {
      wrong(error.message);
    }
  };
  return { element, wrong };
}

function controlOf(field, value) {
  const { kind, choices, default: usual, name } = field;
  const placeholder = usual;
  if (kind === "flag" || kind === "choice") {
    const words = kind === "flag" ? ["true", "false"] : choices;
    const now = value === undefined ? "" : String(value);
    const select = make("select", { name }, [...new Set(["", ...words, now])].map((word) => make("option", { value: word }, word || usual || "–")));
    select.value = now;
    return select;
  }
  const control = make("input", { name, placeholder, autocomplete: "off", spellcheck: "false" });
  control.value = written(value);
  return control;
}

export const written = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

async function valueOf({ kind }, text) {
  if (text.trim() === "") return undefined;
  if (kind === "flag") return text === "true";
  if (kind === "choice") return text;
  return (await read(text)).value;
}

export const read = (text) => ask("POST", "/value", { text }, true);
