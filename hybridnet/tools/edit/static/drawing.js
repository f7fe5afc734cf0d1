// SPDX-License-Identifier: MIT
// What is drawn: the YAML form of the network as plain data, changed step by step, with all steps before.

const MOST_STEPS = 500;
const copy = (value) => JSON.parse(JSON.stringify(value));

export class Drawing {
  constructor(sections) {
    this.sections = sections;
    this.take({});
  }

  // Begins anew with a form.
  take(form) {
    this.form = copy(form);
    this.past = [];
    this.future = [];
    this.saved = JSON.stringify(this.form);
  }

  get isChanged() { return JSON.stringify(this.form) !== this.saved; }
  markSaved(form) { this.saved = JSON.stringify(form); }

  // Every change of the form goes through here, so that it can be undone.
  change(how) {
    const before = JSON.stringify(this.form);
    const result = how(this.form);
    if (JSON.stringify(this.form) !== before) {
      this.past = [...this.past, before].slice(-MOST_STEPS);
      this.future = [];
    }
    return result;
  }

  undo() { return this.#step(this.past, this.future); }
  redo() { return this.#step(this.future, this.past); }

  #step(from, to) {
    if (from.length === 0) return false;
    to.push(JSON.stringify(this.form));
    this.form = JSON.parse(from.pop());
    return true;
  }

  nodes() {
    return this.sections.flatMap((section) =>
      Object.entries(this.form[section] ?? {}).map(([name, options]) => ({ name, section, options: options ?? {}, at: this.form.positions?.[name] ?? [0, 0] })));
  }

  links() { return this.form.links ?? []; }
  sectionOf(name) { return this.sections.find((section) => Object.hasOwn(this.form[section] ?? {}, name)); }
  has(name) { return this.sectionOf(name) !== undefined; }
  linksOf(name) { return this.links().flatMap(({ between }, index) => (between.includes(name) ? [index] : [])); }

  // The options of a node, a link, or an end of a link (params1, params2).
  optionsOf({ node, link, end }) {
    if (node !== undefined) return this.form[this.sectionOf(node)]?.[node] ?? {};
    const { between, params1, params2, ...both } = this.links()[link] ?? {};
    return end === undefined ? both : { params1, params2 }[end] ?? {};
  }

  addNode(kind, x, y) {
    let number = 1;
    while (this.has(kind.prefix + number)) number++;
    const name = kind.prefix + number;
    this.change((form) => {
      form[kind.section] = { ...form[kind.section], [name]: Object.keys(kind.options).length > 0 ? { ...kind.options } : null };
      form.positions = { ...form.positions, [name]: [Math.round(x), Math.round(y)] };
    });
    return name;
  }

  addLink(a, b) {
    return this.change((form) => {
      form.links = [...(form.links ?? []), { between: [a, b] }];
      return form.links.length - 1;
    });
  }

  move(name, x, y) {
    this.change((form) => { form.positions = { ...form.positions, [name]: [Math.round(x), Math.round(y)] }; });
  }

  // Sets an option of an element; undefined takes it away.
  set(of, option, value) {
    this.change((form) => {
      if (of.node !== undefined) {
        const section = form[this.sectionOf(of.node)];
        section[of.node] = withOption(section[of.node], option, value);
      } else if (of.end === undefined) {
        form.links[of.link] = withOption(form.links[of.link], option, value);
      } else {
        form.links[of.link] = withOption(form.links[of.link], of.end, withOption(form.links[of.link][of.end], option, value) ?? undefined);
      }
    });
  }

  // Sets a part of the network as a whole, such as its description; undefined takes it away.
  setPart(part, value) {
    this.change((form) => {
      if (value === undefined) delete form[part];
      else form[part] = value;
    });
  }

  rename(before, after) {
    const renamed = (named) => Object.fromEntries(Object.entries(named ?? {}).map(([name, value]) => [name === before ? after : name, value]));
    this.change((form) => {
      const section = this.sectionOf(before);
      form[section] = renamed(form[section]);
      form.positions = renamed(form.positions);
      for (const link of form.links ?? []) link.between = link.between.map((name) => (name === before ? after : name));
    });
  }

  remove({ node, link }) {
    this.change((form) => {
      if (link !== undefined) {
        form.links.splice(link, 1);
        return;
      }
      delete form[this.sectionOf(node)][node];
      if (form.positions) delete form.positions[node];
      form.links = (form.links ?? []).filter(({ between }) => !between.includes(node));
    });
  }
}

function withOption(options, option, value) {
  const made = { ...options };
  if (value === undefined) delete made[option];
  else made[option] = value;
  return Object.keys(made).length > 0 ? made : null;
}
