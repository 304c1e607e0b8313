// The small interfaces of the web platform that programs take for granted, and named errors for those that can't be here.
(native) => {
  const { utf8Encode, utf8Decode, randomFill } = native;
  const { apply } = Reflect;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const toLowerCase = uncurry(String.prototype.toLowerCase), trim = uncurry(String.prototype.trim);
  const slice = uncurry(String.prototype.slice), charCodeAt = uncurry(String.prototype.charCodeAt);
  const numberToString = uncurry(Number.prototype.toString), padStart = uncurry(String.prototype.padStart);
  const Bytes = Uint8Array, isView = ArrayBuffer.isView, Type = TypeError, Range = RangeError;
  const fromCharCode = String.fromCharCode, PromiseClass = Promise, reject = uncurry(Promise.reject);
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

  const bytesOf = (input) => {
    if (input === undefined) return new Bytes(0);
    if (isView(input)) return new Bytes(input.buffer, input.byteOffset, input.byteLength);
    return new Bytes(input);
  };

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return utf8Encode(`${text}`); }
    encodeInto(text, target) {
      let read = 0, written = 0;
      for (const point of `${text}`) {
        const bytes = utf8Encode(point);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += point.length;
      }
      return { read, written };
    }
  }

  // How many bytes at the end begin a sequence that more bytes may complete.
  const unfinished = (bytes) => {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const c = bytes[bytes.length - back];
      if (c >= 0xc0) return back < (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) ? back : 0;
      if (c < 0x80) return 0;
    }
    return 0;
  };

  class TextDecoder {
    #encoding; #fatal; #keepBom; #pending = new Bytes(0); #started = false;
    constructor(label = "utf-8", options = {}) {
      const name = toLowerCase(trim(`${label}`));
      if (name === "utf-8" || name === "utf8" || name === "unicode-1-1-utf-8") this.#encoding = "utf-8";
      else if (name === "utf-16le" || name === "utf-16") this.#encoding = "utf-16le";
      else if (name === "latin1" || name === "ascii" || name === "iso-8859-1" || name === "windows-1252") this.#encoding = "windows-1252";
      else throw new Range(`the encoding ${label} is not supported`);
      this.#fatal = !!options.fatal;
      this.#keepBom = !!options.ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBom; }
    decode(input, options = {}) {
      let bytes = bytesOf(input);
      if (this.#pending.length) {
        const joined = new Bytes(this.#pending.length + bytes.length);
        joined.set(this.#pending);
        joined.set(bytes, this.#pending.length);
        bytes = joined;
      }
      const keep = !options.stream ? 0 : this.#encoding === "utf-8" ? unfinished(bytes) : this.#encoding === "utf-16le" ? bytes.length % 2 : 0;
      this.#pending = bytes.slice(bytes.length - keep);
      let text = this.#text(bytes.subarray(0, bytes.length - keep));
      if (!this.#keepBom && !this.#started && charCodeAt(text, 0) === 0xfeff) text = slice(text, 1);
      this.#started = !!options.stream && (this.#started || text !== "");
      return text;
    }
    #text(bytes) {
      if (this.#encoding === "utf-8") {
        const text = utf8Decode(bytes, this.#fatal);
        if (text === null) throw new Type("the encoded data is not valid utf-8");
        return text;
      }
      let text = "";
      if (this.#encoding === "utf-16le") {
        if (bytes.length % 2 && this.#fatal) throw new Type("the encoded data is not valid utf-16le");
        for (let i = 0; i + 1 < bytes.length; i += 2) text += fromCharCode(bytes[i] | (bytes[i + 1] << 8));
        return bytes.length % 2 ? `${text}\ufffd` : text;
      }
      for (let i = 0; i < bytes.length; i++) text += fromCharCode(bytes[i]);
      return text;
    }
  }

  const crypto = {
    getRandomValues(array) {
      if (!isView(array) || array instanceof Float32Array || array instanceof Float64Array || array instanceof DataView)
        throw new Type("crypto.getRandomValues takes an integer typed array");
      if (array.byteLength > 65536) throw new DOMException("more than 65536 bytes were asked for", "QuotaExceededError");
      return randomFill(array);
    },
    randomUUID() {
      const bytes = randomFill(new Bytes(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = "";
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
        text += padStart(numberToString(bytes[i], 16), 2, "0");
      }
      return text;
    },
  };

  const denied = (name) => new Type(`${name} is not available: network access is denied in this sandbox`);
  const deniedClass = (name) => ({ [name]: class { constructor() { throw denied(name); } } })[name];

  define("TextEncoder", TextEncoder);
  define("TextDecoder", TextDecoder);
  define("crypto", crypto);
  define("fetch", function fetch() { return reject(PromiseClass, denied("fetch")); });
  define("XMLHttpRequest", deniedClass("XMLHttpRequest"));
  define("WebSocket", deniedClass("WebSocket"));
  define("EventSource", deniedClass("EventSource"));
}
