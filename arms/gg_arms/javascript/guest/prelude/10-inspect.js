// What console.log prints of a value, close to Node's util.inspect. It calls nothing that a program can have changed:
// built-ins are captured here, before any program runs, and no getter and no proxy trap is called.
(native) => {
  const { classOf, unwrap, proxyTarget, frames, promiseState, promiseResult } = native;
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const getter = (object, name) => uncurry(getOwnPropertyDescriptor(object, name).get);
  const isArray = Array.isArray, StringOf = String, is = Object.is;
  const stringify = JSON.stringify;
  const replaceAll = uncurry(String.prototype.replaceAll), includes = uncurry(String.prototype.includes);
  const slice = uncurry(String.prototype.slice), charCodeAt = uncurry(String.prototype.charCodeAt);
  const mapForEach = uncurry(Map.prototype.forEach), setForEach = uncurry(Set.prototype.forEach);
  const mapSize = getter(Map.prototype, "size"), setSize = getter(Set.prototype, "size");
  const toISOString = uncurry(Date.prototype.toISOString), getTime = uncurry(Date.prototype.getTime);
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const typedLength = getter(typedArray, "length"), typedTag = getter(typedArray, Symbol.toStringTag);
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const regexpSource = getter(RegExp.prototype, "source"), regexpFlags = getter(RegExp.prototype, "flags");
  const symbolText = uncurry(Symbol.prototype.toString);
  const toStringTag = Symbol.toStringTag;
  const ObjectPrototype = Object.prototype, FunctionPrototype = Function.prototype;

  const LIMITS = { depth: 2, items: 100, text: 10000, width: 72 };

  const quote = (text) => {
    if (!includes(text, "'")) return `'${slice(replaceAll(stringify(text), '\\"', '"'), 1, -1)}'`;
    if (!includes(text, '"')) return stringify(text);
    return `\`${slice(replaceAll(stringify(text), '\\"', '"'), 1, -1)}\``;
  };

  const isName = (text) => {
    if (text === "") return false;
    for (let i = 0; i < text.length; i++) {
      const c = charCodeAt(text, i);
      const letter = (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c === 36;
      if (!letter && !(i > 0 && c >= 48 && c <= 57)) return false;
    }
    return true;
  };

  const primitive = (value, top) => {
    switch (typeof value) {
      case "string":
        if (top) return value;
        return value.length > LIMITS.text
          ? `${quote(slice(value, 0, LIMITS.text))}... ${value.length - LIMITS.text} more characters`
          : quote(value);
      case "number": return is(value, -0) ? "-0" : StringOf(value);
      case "bigint": return `${value}n`;
      case "symbol": return symbolText(value);
      default: return StringOf(value);
    }
  };

  // An own data property's value, or one inherited from an ordinary prototype; accessors are not called.
  const dataProperty = (object, name) => {
    for (let at = object, hops = 0; at !== null && hops < 50; hops++) {
      if (proxyTarget(at) !== undefined) return undefined;
      const found = getOwnPropertyDescriptor(at, name);
      if (found) return found.value;
      at = getPrototypeOf(at);
    }
    return undefined;
  };

  const constructorName = (object) => {
    const proto = getPrototypeOf(object);
    if (proto === null) return null;
    const made = dataProperty(object, "constructor");
    const name = typeof made === "function" ? dataProperty(made, "name") : undefined;
    return typeof name === "string" && name !== "" ? name : "Object";
  };

  const prefix = (object, fallback) => {
    const name = constructorName(object);
    const shown = name === null ? `[${fallback}: null prototype]` : name;
    const tag = dataProperty(object, toStringTag);
    return typeof tag === "string" && tag !== "" && tag !== shown ? `${shown} [${tag}]` : shown;
  };

  const isIndex = (key) => {
    if (key === "" || key.length > 10) return false;
    for (let i = 0; i < key.length; i++) {
      const c = charCodeAt(key, i);
      if (c < 48 || c > 57) return false;
    }
    return true;
  };

  // A list of texts is kept as a linked list: pushing to an array would meet setters that a program may have put there.
  class Parts {
    count = 0; first = null; last = null; total = 0; lines = false;
    add(text) {
      const node = { __proto__: null, text, next: null };
      if (this.last) this.last.next = node; else this.first = node;
      this.last = node;
      this.count++;
      this.total += text.length + 2;
      if (includes(text, "\n")) this.lines = true;
    }
    join(separator) {
      let text = "";
      for (let node = this.first; node; node = node.next) text += (node === this.first ? "" : separator) + node.text;
      return text;
    }
  }

  const layout = (state, head, open, parts, close, indent) => {
    const start = head === "" ? open : `${head} ${open}`;
    if (parts.count === 0) return `${start}${close}`;
    if (!parts.lines && parts.total + start.length + indent <= LIMITS.width) return `${start} ${parts.join(", ")} ${close}`;
    const pad = spaces(indent + 2);
    if (!parts.lines && state.numeric && parts.count > 6) {
      let text = "", line = "";
      for (let node = parts.first; node; node = node.next) {
        const piece = node.text + (node.next ? "," : "");
        if (line !== "" && line.length + piece.length >= LIMITS.width) { text += `\n${pad}${line}`; line = ""; }
        line += line === "" ? piece : ` ${piece}`;
      }
      return `${start}${text}\n${pad}${line}\n${spaces(indent)}${close}`;
    }
    return `${start}\n${pad}${parts.join(`,\n${pad}`)}\n${spaces(indent)}${close}`;
  };

  const spaces = (count) => {
    let text = "";
    for (let i = 0; i < count; i++) text += " ";
    return text;
  };

  const indented = (text, indent) => replaceAll(text, "\n", `\n${spaces(indent)}`);

  const errorText = (error, indent) => {
    const name = dataProperty(error, "name"), message = dataProperty(error, "message");
    const made = constructorName(error);
    let shown = typeof name === "string" ? name : "Error";
    if (made !== null && made !== "Object" && shown === "Error" && made !== shown) shown = made;
    const header = typeof message === "string" && message !== "" ? `${shown}: ${message}` : shown;
    const stack = frames(error);
    const trimmed = typeof stack === "string" && stack !== "" ? `\n${slice(stack, 0, -1)}` : "";
    return trimmed === "" ? `[${indented(header, indent)}]` : indented(header + trimmed, indent);
  };

  const keyText = (key) => (typeof key === "symbol" ? `[${symbolText(key)}]` : isName(key) ? key : quote(key));

  const properties = (state, object, parts, depth, indent, skip) => {
    const keys = ownKeys(object);
    let shown = 0;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (skip && typeof key === "string" && skip(key)) continue;
      const found = getOwnPropertyDescriptor(object, key);
      if (!found || (!found.enumerable && !(skip === isErrorKey && (key === "cause" || key === "errors")))) continue;
      if (shown++ >= LIMITS.items) {
        parts.add(`... ${keys.length - i} more`);
        break;
      }
      const label = found.enumerable ? keyText(key) : `[${key}]`;
      if (found.get || found.set) parts.add(`${label}: [${found.get && found.set ? "Getter/Setter" : found.get ? "Getter" : "Setter"}]`);
      else parts.add(`${label}: ${render(state, found.value, depth + 1, indent + 2)}`);
    }
  };

  const isErrorKey = (key) => key === "stack" || key === "message";

  const list = (state, object, length, tag, depth, indent, read) => {
    const parts = new Parts();
    let holes = 0;
    const flush = () => {
      if (holes) parts.add(`<${holes} empty item${holes > 1 ? "s" : ""}>`);
      holes = 0;
    };
    let numeric = true, i = 0;
    for (; i < length && parts.count < LIMITS.items; i++) {
      const found = read ? { value: read(object, i) } : getOwnPropertyDescriptor(object, i);
      if (!found) {
        holes++;
        if (holes > 1000000) { i = length; break; }
        continue;
      }
      flush();
      if (typeof found.value !== "number") numeric = false;
      parts.add("value" in found ? render(state, found.value, depth + 1, indent + 2) : "[Getter]");
    }
    flush();
    if (i < length) parts.add(`... ${length - i} more item${length - i > 1 ? "s" : ""}`);
    properties(state, object, parts, depth, indent, isIndex);
    state.numeric = numeric;
    const text = layout(state, tag, "[", parts, "]", indent);
    state.numeric = false;
    return text;
  };

  const functionText = (f) => {
    const name = dataProperty(f, "name");
    const kind = classOf(f) === "Function" && getOwnPropertyDescriptor(f, "prototype")?.writable === false ? "class" : null;
    const named = typeof name === "string" && name !== "" ? name : null;
    if (kind) {
      const parent = getPrototypeOf(f);
      const up = typeof parent === "function" && parent !== FunctionPrototype ? dataProperty(parent, "name") : undefined;
      return `[class ${named ?? "(anonymous)"}${typeof up === "string" && up !== "" ? ` extends ${up}` : ""}]`;
    }
    const made = constructorName(f);
    const type = made === null || made === "Object" ? "Function" : made;
    return named ? `[${type}: ${named}]` : `[${type} (anonymous)]`;
  };

  const body = (state, object, depth, indent) => {
    const kind = classOf(object);
    const parts = new Parts();
    if (typeof object === "function") {
      properties(state, object, parts, depth, indent);
      return parts.count ? layout(state, functionText(object), "{", parts, "}", indent) : functionText(object);
    }
    if (isArray(object)) {
      const name = constructorName(object);
      return list(state, object, object.length, name === "Array" ? "" : `${name ?? "[Array: null prototype]"}(${object.length})`, depth, indent);
    }
    switch (kind) {
      case "Error":
      case "DOMException": {
        const text = errorText(object, indent);
        properties(state, object, parts, depth, indent, isErrorKey);
        return parts.count ? layout(state, text, "{", parts, "}", indent) : text;
      }
      case "Map": {
        let left = LIMITS.items;
        mapForEach(object, (value, key) => {
          if (left-- > 0) parts.add(`${render(state, key, depth + 1, indent + 2)} => ${render(state, value, depth + 1, indent + 2)}`);
        });
        if (left < 0) parts.add(`... ${-left} more items`);
        properties(state, object, parts, depth, indent);
        return layout(state, `${prefix(object, "Map")}(${mapSize(object)})`, "{", parts, "}", indent);
      }
      case "Set": {
        let left = LIMITS.items;
        setForEach(object, (value) => {
          if (left-- > 0) parts.add(render(state, value, depth + 1, indent + 2));
        });
        if (left < 0) parts.add(`... ${-left} more items`);
        properties(state, object, parts, depth, indent);
        return layout(state, `${prefix(object, "Set")}(${setSize(object)})`, "{", parts, "}", indent);
      }
      case "Date": {
        const time = getTime(object);
        return time === time ? toISOString(object) : "Invalid Date";
      }
      case "RegExp": return `/${regexpSource(object)}/${regexpFlags(object)}`;
      case "Promise": {
        const settled = promiseState(object);
        if (settled === 0) parts.add("<pending>");
        else parts.add((settled === 2 ? "<rejected> " : "") + render(state, promiseResult(object), depth + 1, indent + 2));
        return layout(state, prefix(object, "Promise"), "{", parts, "}", indent);
      }
      case "WeakMap": case "WeakSet": return `${prefix(object, kind)} { <items unknown> }`;
      case "ArrayBuffer":
        parts.add(`byteLength: ${bufferLength(object)}`);
        return layout(state, prefix(object, kind), "{", parts, "}", indent);
      case "Generator": return `Object [Generator] {}`;
      case "Arguments": return list(state, object, object.length, "[Arguments]", depth, indent);
      case "Number": case "String": case "Boolean": case "Symbol": case "BigInt":
        return `[${kind}: ${primitive(unwrap(object), false)}]`;
    }
    const tag = typedTag(object);
    if (tag !== undefined) return list(state, object, typedLength(object), `${tag}(${typedLength(object)})`, depth, indent, (o, i) => o[i]);
    const url = native.urlText(object);
    if (url !== undefined) parts.add(`href: ${quote(url)}`);
    properties(state, object, parts, depth, indent);
    const name = kind === "Module" ? "[Module]" : prefix(object, "Object");
    return layout(state, name === "Object" && getPrototypeOf(object) === ObjectPrototype ? "" : name, "{", parts, "}", indent);
  };

  const render = (state, value, depth, indent) => {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return primitive(value, depth === 0);
    let object = value;
    for (let target; (target = proxyTarget(object)) !== undefined && target !== null; ) object = target;
    for (let at = state.inside; at; at = at.up) if (at.object === object) return "[Circular]";
    if (depth > state.depth && typeof object !== "function") {
      const kind = classOf(object);
      if (kind !== "Error" && kind !== "Date" && kind !== "RegExp")
        return isArray(object) ? "[Array]" : `[${constructorName(object) ?? "Object: null prototype"}]`;
    }
    state.inside = { __proto__: null, object, up: state.inside };
    try {
      return body(state, object, depth, indent);
    } finally {
      state.inside = state.inside.up;
    }
  };

  native.render = (value, depth) => render({ __proto__: null, inside: null, numeric: false, depth }, value, 0, 0);
  native.inspect = (value) => native.render(value, LIMITS.depth);
  native.inspectInner = (value) => (typeof value === "string" ? quote(value) : native.inspect(value));
}
