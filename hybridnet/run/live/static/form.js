// SPDX-License-Identifier: MIT
// A form of a link's options, made from the table in which hybridnet declares them.

import { ask, part } from "./api.js";
import { make, notice, trying } from "./elements.js";

export const USUAL = ["bw", "delay", "jitter", "loss", "max_queue_size", "duplicate", "corrupt", "reorder"];
export const EXAMPLES = { duration: "5ms", rate: "10 Mbit/s", size: "1500", share: "0–100", count: "", number: "" };

export function optionsForm(link, table, onDone) {
  const plain = table.filter(({ kind }) => kind in EXAMPLES || kind === "flag" || kind === "choice" || kind === "text");
  const usual = USUAL.map((name) => plain.find((option) => option.name === name)).filter(Boolean);
  const rest = plain.filter((option) => !usual.includes(option));
  const fields = new Map();
  const ways = make("select", {},
    make("option", { value: "both" }, "in both directions"),
    make("option", { value: "params1" }, `from ${link.a.node}`),
    make("option", { value: "params2" }, `from ${link.b.node}`));
  const said = () => link.options[ways.value === "params2" ? 1 : 0];
  const field = (option) => {
    const control = controlFor(option);
    const label = make("label", { title: option.help }, option.unit ? `${option.name} (${option.unit})` : option.name, control);
    fields.set(option.name, { option, control, label });
    return label;
  };
  const reset = () => {
    for (const { option, control, label } of fields.values()) {
      const value = said()[option.name];
      control.value = value === undefined ? "" : String(value);
      control.dataset.before = control.value;
      label.classList.remove("changed");
      control.oninput = () => label.classList.toggle("changed", control.value !== control.dataset.before);
    }
  };
  ways.onchange = reset;
  const send = async (event) => {
    event.preventDefault();
    const changed = {};
    for (const { option, control } of fields.values()) {
      if (control.value !== control.dataset.before) changed[option.name] = valueOf(option, control.value);
    }
    if (Object.keys(changed).length === 0) return notice("Nothing has been changed in the form.");
    const options = ways.value === "both" ? changed : { [ways.value]: changed };
    const done = await trying(() => ask("PATCH", `/links/${part(link.name)}`, { options }));
    if (done) {
      notice(`${link.name}: ${done.text[0]}`);
      onDone();
    }
  };
  const form = make("form", { class: "fields", onsubmit: send },
    make("label", { class: "wide" }, "applies", ways), usual.map(field),
    make("details", { class: "wide" }, make("summary", {}, `${rest.length} more`), make("div", { class: "fields" }, rest.map(field))),
    make("button", { class: "wide primary" }, "Change the link"));
  reset();
  return form;
}

function controlFor(option) {
  if (option.kind === "flag") return make("select", {}, ["", "true", "false"].map((value) => make("option", { value }, value || "as it is")));
  if (option.kind === "choice") return make("select", {}, ["", ...option.choices].map((value) => make("option", { value }, value || "as it is")));
  return make("input", { placeholder: EXAMPLES[option.kind] ?? "", autocomplete: "off", spellcheck: "false" });
}

function valueOf(option, text) {
  if (text === "") return null;
  if (option.kind === "flag") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) && option.kind !== "text" ? Number(text) : text;
}
