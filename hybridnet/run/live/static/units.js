// SPDX-License-Identifier: MIT
// Figures as people read them.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

export function rate(bps) {
  if (bps === null || bps === undefined || Number.isNaN(bps)) return "–";
  for (const [factor, prefix] of PREFIXES) {
    if (bps >= factor) return `${three(bps / factor)} ${prefix}bit/s`;
  }
  return `${three(bps)} bit/s`;
}

export function time(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return "–";
  if (ns >= 1e9) return `${three(ns / 1e9)} s`;
  if (ns >= 1e6) return `${three(ns / 1e6)} ms`;
  return `${three(ns / 1e3)} µs`;
}

export function count(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US");
}

export function short(value) {
  for (const [factor, prefix] of PREFIXES) {
    if (value >= factor) return `${three(value / factor)}${prefix}`;
  }
  return String(Math.round(value));
}

export function bytes(value) {
  if (value >= 1e6) return `${three(value / 1e6)} MB`;
  return value >= 1e3 ? `${three(value / 1e3)} kB` : `${count(value)} B`;
}

export function percent(share) {
  return share === null ? "–" : `${share >= 0.0995 ? Math.round(share * 100) : three(share * 100)} %`;
}

function three(value) {
  if (value === 0) return "0";
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

// An instant of simulated time, to the nanosecond.
export function instant(ns) {
  const digits = String(Math.round(ns) % 1_000_000_000).padStart(9, "0");
  return `${Math.floor(ns / 1e9)}.${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)} s`;
}
