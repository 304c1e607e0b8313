// console's format strings, and the methods that are more than one line of output.
(native) => {
  const { groupDepth, inspect, inspectInner, render } = native;
  const { apply } = Reflect;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const indexOf = uncurry(String.prototype.indexOf), slice = uncurry(String.prototype.slice);
  const padEnd = uncurry(String.prototype.padEnd), repeat = uncurry(String.prototype.repeat);
  const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set), mapDelete = uncurry(Map.prototype.delete);
  const { keys: ownKeys } = Object;
  const isArray = Array.isArray, toNumber = Number, parse = parseInt, parseReal = parseFloat, StringOf = String;
  const now = performance.now, toFixed = uncurry(Number.prototype.toFixed);
  const ErrorClass = Error, frames = native.frames;
  const log = console.log;

  const directive = (kind, value) => {
    switch (kind) {
      case "s":
        return typeof value === "string" ? value : typeof value === "object" && value !== null ? render(value, 0) : inspect(value);
      case "d":
        return typeof value === "bigint" ? `${value}n` : typeof value === "object" || typeof value === "symbol" ? "NaN" : inspect(toNumber(value));
      case "i":
        return typeof value === "bigint" ? `${value}n` : typeof value === "object" || typeof value === "symbol" ? "NaN" : inspect(parse(value));
      case "f": return typeof value === "symbol" ? "NaN" : inspect(parseReal(value));
      case "j": try { return JSONStringify(value) ?? "undefined"; } catch { return "[Circular]"; }
      case "o": return typeof value === "string" ? inspectInner(value) : render(value, 4);
      case "O": return inspectInner(value);
      case "c": return "";
      default: return undefined;
    }
  };
  const JSONStringify = JSON.stringify;

  native.format = (...args) => {
    const text = args[0];
    let out = "", at = 0, next = 1;
    for (;;) {
      const found = indexOf(text, "%", at);
      if (found < 0 || found === text.length - 1) break;
      const kind = text[found + 1];
      if (kind === "%") {
        out += slice(text, at, found + 1);
      } else {
        const shown = next < args.length ? directive(kind, args[next]) : undefined;
        out += slice(text, at, found);
        if (shown === undefined) {
          out += slice(text, found, found + 2);
        } else {
          out += shown;
          next++;
        }
      }
      at = found + 2;
    }
    out += slice(text, at);
    for (; next < args.length; next++) out += ` ${inspect(args[next])}`;
    return out;
  };

  const counts = new Map(), timers = new Map();
  const label = (value) => (value === undefined ? "default" : StringOf(value));
  const elapsed = (name) => {
    const took = now() - mapGet(timers, name);
    return took >= 1000 ? `${toFixed(took / 1000, 3)}s` : `${toFixed(took, 3)}ms`;
  };

  const table = (data) => {
    if (typeof data !== "object" || data === null) return log(data);
    const entry = (value) => (typeof value === "object" && value !== null ? value : null);
    const rows = [], columns = { __proto__: null };
    const ids = ownKeys(data);
    let count = 0, values = false, width = 7;
    for (let i = 0; i < ids.length; i++) {
      const row = entry(data[ids[i]]);
      if (ids[i].length > width) width = ids[i].length;
      if (!row) {
        values = true;
        continue;
      }
      const names = ownKeys(row);
      for (let k = 0; k < names.length; k++) if (!(names[k] in columns)) { columns[names[k]] = names[k].length; count++; }
    }
    const names = ownKeys(columns);
    const cell = (row, name) => (!row || !(name in row) ? "" : typeof row[name] === "string" ? inspectInner(row[name]) : render(row[name], 0));
    let valueWidth = 6;
    for (let i = 0; i < ids.length; i++) {
      const row = entry(data[ids[i]]);
      for (let k = 0; k < names.length; k++) {
        const length = cell(row, names[k]).length;
        if (length > columns[names[k]]) columns[names[k]] = length;
      }
      if (!row) { const length = inspectInner(data[ids[i]]).length; if (length > valueWidth) valueWidth = length; }
    }
    const rule = (left, middle, right) => {
      let text = left + repeat("─", width + 2);
      for (let k = 0; k < names.length; k++) text += middle + repeat("─", columns[names[k]] + 2);
      return text + (values ? middle + repeat("─", valueWidth + 2) : "") + right;
    };
    const line = (first, at, last) => {
      let text = `│ ${padEnd(first, width)} │`;
      for (let k = 0; k < names.length; k++) text += ` ${padEnd(at(names[k]), columns[names[k]])} │`;
      return text + (values ? ` ${padEnd(last, valueWidth)} │` : "");
    };
    let out = `${rule("┌", "┬", "┐")}\n${line("(index)", (name) => name, "Values")}\n${rule("├", "┼", "┤")}`;
    for (let i = 0; i < ids.length; i++) {
      const row = entry(data[ids[i]]);
      out += `\n${line(ids[i], (name) => cell(row, name), row ? "" : inspectInner(data[ids[i]]))}`;
    }
    return log(`${out}\n${rule("└", "┴", "┘")}`);
  };

  const methods = {
    dir(value, options) {
      const depth = options?.depth;
      log(depth === undefined || typeof value === "string" ? inspectInner(value) : render(value, depth ?? Infinity));
    },
    trace(...args) {
      const all = frames(new ErrorClass()) ?? "", stack = slice(all, indexOf(all, "\n"), -1); // without this one
      log(`Trace${args.length ? `: ${args.length > 1 && typeof args[0] === "string" ? native.format(...args) : join(args)}` : ""}${stack}`);
    },
    table(data) { table(data); },
    assert(condition, ...args) {
      if (condition) return;
      log(args.length ? `Assertion failed: ${typeof args[0] === "string" ? native.format(...args) : join(args)}` : "Assertion failed");
    },
    count(name) {
      const key = label(name), count = (mapGet(counts, key) ?? 0) + 1;
      mapSet(counts, key, count);
      log(`${key}: ${count}`);
    },
    countReset(name) { mapDelete(counts, label(name)); },
    time(name) { mapSet(timers, label(name), now()); },
    timeLog(name, ...args) {
      const key = label(name);
      if (mapGet(timers, key) !== undefined) log(`${key}: ${elapsed(key)}`, ...args);
    },
    timeEnd(name) {
      const key = label(name);
      if (mapGet(timers, key) === undefined) return;
      log(`${key}: ${elapsed(key)}`);
      mapDelete(timers, key);
    },
    group(...args) {
      if (args.length) log(...args);
      groupDepth(1);
    },
    groupEnd() { groupDepth(-1); },
    clear() {},
  };
  const join = (args) => {
    let text = "";
    for (let i = 0; i < args.length; i++) text += (i ? " " : "") + inspect(args[i]);
    return text;
  };
  methods.groupCollapsed = methods.group;
  for (const name of ownKeys(methods)) console[name] = methods[name];
}
