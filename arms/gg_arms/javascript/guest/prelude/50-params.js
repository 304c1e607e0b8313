// URLSearchParams, and the percent-encoding that URL uses too.
(native) => {
  const { utf8Encode, utf8Decode } = native;
  const hex = (byte) => `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;

  const percentEncode = (text, set) => {
    let out = "";
    for (const byte of utf8Encode(text)) {
      const char = String.fromCharCode(byte);
      out += byte < 0x20 || byte > 0x7e || set.includes(char) ? hex(byte) : char;
    }
    return out;
  };
  const percentDecode = (text) => {
    const bytes = utf8Encode(text), out = new Uint8Array(bytes.length);
    let length = 0;
    for (let i = 0; i < bytes.length; i++) {
      const value = bytes[i] === 0x25 && i + 2 < bytes.length ? Number.parseInt(text16(bytes, i + 1), 16) : NaN;
      if (value === value && isHex(bytes[i + 1]) && isHex(bytes[i + 2])) {
        out[length++] = value;
        i += 2;
      } else out[length++] = bytes[i];
    }
    return utf8Decode(out.subarray(0, length), false);
  };
  const text16 = (bytes, at) => String.fromCharCode(bytes[at], bytes[at + 1]);
  const isHex = (c) => (c >= 48 && c <= 57) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);

  const formEncode = (text) => {
    let out = "";
    for (const byte of utf8Encode(text)) {
      const char = String.fromCharCode(byte);
      out += byte === 0x20 ? "+" : /[A-Za-z0-9*\-._]/.test(char) ? char : hex(byte);
    }
    return out;
  };
  const formDecode = (text) => percentDecode(text.replaceAll("+", " "));
  const wellFormed = (value) => `${value}`.toWellFormed();

  class URLSearchParams {
    #pairs = [];
    #changed = null;
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        if (typeof init[Symbol.iterator] === "function") {
          for (const pair of init) {
            const [name, value, ...rest] = pair;
            if (rest.length || value === undefined) throw new TypeError("each pair must have exactly two elements");
            this.#pairs.push([wellFormed(name), wellFormed(value)]);
          }
        } else for (const name of Object.keys(init)) this.#pairs.push([wellFormed(name), wellFormed(init[name])]);
      } else this.#parse(wellFormed(init).replace(/^\?/, ""));
    }
    #parse(text) {
      this.#pairs = [];
      for (const piece of text.split("&")) {
        if (piece === "") continue;
        const at = piece.indexOf("=");
        this.#pairs.push(at < 0 ? [formDecode(piece), ""] : [formDecode(piece.slice(0, at)), formDecode(piece.slice(at + 1))]);
      }
    }
    #update() { this.#changed?.(this.toString()); }
    static attach(text, changed) {
      const made = new URLSearchParams(text);
      made.#changed = changed;
      return made;
    }
    static replace(params, text) { params.#parse(text.replace(/^\?/, "")); }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([wellFormed(name), wellFormed(value)]); this.#update(); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([n, v]) => n !== `${name}` || (value !== undefined && v !== `${value}`));
      this.#update();
    }
    get(name) { return this.#pairs.find(([n]) => n === `${name}`)?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([n]) => n === `${name}`).map(([, v]) => v); }
    has(name, value) { return this.#pairs.some(([n, v]) => n === `${name}` && (value === undefined || v === `${value}`)); }
    set(name, value) {
      const at = this.#pairs.findIndex(([n]) => n === `${name}`);
      if (at < 0) this.#pairs.push([wellFormed(name), wellFormed(value)]);
      else {
        this.#pairs[at][1] = wellFormed(value);
        this.#pairs = this.#pairs.filter(([n], i) => i <= at || n !== `${name}`);
      }
      this.#update();
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#update(); }
    forEach(callback, self) { for (const [name, value] of this.#pairs) callback.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([n, v]) => `${formEncode(n)}=${formEncode(v)}`).join("&"); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
  }
  const { attach, replace } = URLSearchParams;
  delete URLSearchParams.attach;
  delete URLSearchParams.replace;
  native.url = { attach, replace, percentEncode, percentDecode, wellFormed };
  Object.defineProperty(globalThis, "URLSearchParams", { value: URLSearchParams, writable: true, configurable: true });
}
