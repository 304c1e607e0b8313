// URL after the WHATWG URL standard. Hosts with characters outside ASCII are lower-cased, NFC-normalised
// and put in Punycode; the mapping tables of the full IDNA are left out.
(native) => {
  const { attach, replace, percentEncode, percentDecode, wellFormed } = native.url;
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const PORTS = { __proto__: null, "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
  const CONTROL = "", FRAGMENT = ' "<>`', QUERY = ' "#<>', SPECIAL_QUERY = ' "#<>\'', PATH = ' "#<>?^`{}', USER = ' "#<>?^`{}/:;=@[\\]|';
  const digitOf = (value) => String.fromCharCode(value < 26 ? 97 + value : 22 + value);
  const punycode = (label) => {
    const points = [...label].map((c) => c.codePointAt(0)), basic = points.filter((c) => c < 128);
    let out = String.fromCharCode(...basic), n = 128, delta = 0, bias = 72, done = basic.length;
    const start = done;
    if (start) out += "-";
    while (done < points.length) {
      const next = Math.min(...points.filter((c) => c >= n));
      delta += (next - n) * (done + 1);
      n = next;
      for (const c of points) {
        if (c < n) delta++;
        if (c !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < t) { out += digitOf(q); break; }
          out += digitOf(t + ((q - t) % (36 - t)));
          q = Math.floor((q - t) / (36 - t));
        }
        let d = done === start ? Math.floor(delta / 700) : delta >> 1, k = 0;
        for (d += Math.floor(d / (done + 1)); d > 455; k += 36) d = Math.floor(d / 35);
        bias = k + Math.floor((36 * d) / (d + 38));
        delta = 0;
        done++;
      }
      delta++;
      n++;
    }
    return `xn--${out}`;
  };

  const ipv4 = (host) => {
    const parts = host.replace(/\.$/, "").split(".");
    if (!/^(0x[0-9a-f]*|[0-9]+)$/i.test(parts.at(-1))) return host;
    const numbers = parts.map((part) => {
      if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part, 16);
      if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8);
      return /^(0|[1-9][0-9]*)$/.test(part) ? Number(part) : NaN;
    });
    const last = numbers.pop();
    if (numbers.length > 3 || numbers.some((n) => !(n <= 255)) || !(last < 256 ** (4 - numbers.length))) return null;
    const value = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  };

  const ipv6 = (text) => {
    const tail = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
    if (tail) {
      const n = tail.slice(2).map(Number);
      if (n.some((v) => v > 255)) return null;
      text = `${tail[1]}${(n[0] * 256 + n[1]).toString(16)}:${(n[2] * 256 + n[3]).toString(16)}`;
    }
    const halves = text.split("::");
    if (halves.length > 2) return null;
    const [left, right = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
    if ([...left, ...right].some((piece) => !/^[0-9a-f]{1,4}$/i.test(piece))) return null;
    const gap = 8 - left.length - right.length;
    if (halves.length === 2 ? gap < 1 : gap !== 0) return null;
    const pieces = [...left, ...Array(gap).fill("0"), ...right].map((piece) => Number.parseInt(piece, 16));
    let best = -1, length = 1;
    for (let i = 0; i < 8; i++) {
      let end = i;
      while (end < 8 && pieces[end] === 0) end++;
      if (end - i > length) { best = i; length = end - i; }
    }
    const words = pieces.map((piece) => piece.toString(16));
    return best < 0 ? words.join(":") : `${words.slice(0, best).join(":")}::${words.slice(best + length).join(":")}`;
  };

  const parseHost = (text, special) => {
    if (text.startsWith("[")) {
      const inner = text.endsWith("]") ? ipv6(text.slice(1, -1)) : null;
      return inner === null ? null : `[${inner}]`;
    }
    if (!special) return /[\0\t\n\r #/<>?@[\\\]^|]/.test(text) ? null : percentEncode(text, CONTROL);
    const labels = percentDecode(text).toLowerCase().normalize("NFC").replace(/[\u3002\uff0e\uff61]/g, ".").split(".");
    const host = labels.map((label) => (/^[\0-\x7f]*$/.test(label) ? label : punycode(label))).join(".");
    return host === "" || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host) ? null : ipv4(host);
  };

  const parsePath = (text, scheme, base) => {
    const special = scheme in PORTS, out = base;
    const pieces = text.split(special ? /[/\\]/ : "/");
    pieces.forEach((piece, i) => {
      const last = i === pieces.length - 1, dots = piece.replace(/%2e/gi, ".");
      if (dots === "..") {
        if (!(scheme === "file:" && out.length === 1 && /^[A-Za-z]:$/.test(out[0]))) out.pop();
        if (last) out.push("");
      } else if (dots === ".") {
        if (last) out.push("");
      } else out.push(scheme === "file:" && out.length === 0 && /^[A-Za-z][:|]$/.test(piece) ? `${piece[0]}:` : percentEncode(piece, PATH));
    });
    return out;
  };

  // A record: {scheme, username, password, host: string | null, port, path: string[] | string, query, fragment}, or null.
  const parse = (input, base) => {
    let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, ""), fragment = null, query = null;
    const hash = text.indexOf("#");
    if (hash >= 0) { fragment = percentEncode(text.slice(hash + 1), FRAGMENT); text = text.slice(0, hash); }
    const named = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
    const scheme = named ? `${named[1].toLowerCase()}:` : base?.scheme;
    if (!scheme) return null;
    const special = scheme in PORTS;
    if (named) text = text.slice(named[0].length);
    const slash = (c) => c === "/" || (special && c === "\\");
    const relative = !named || (special && base?.scheme === scheme && !slash(text[0]) && typeof base.path !== "string");
    if (!named && typeof base.path === "string") return text === "" && fragment !== null ? { ...base, fragment } : null;
    const mark = text.indexOf("?");
    if (mark >= 0) { query = percentEncode(text.slice(mark + 1), special ? SPECIAL_QUERY : QUERY); text = text.slice(0, mark); }
    const record = { scheme, username: "", password: "", host: special ? "" : null, port: "", path: [], query, fragment };
    if (relative && !(slash(text[0]) && slash(text[1]))) {
      Object.assign(record, { username: base.username, password: base.password, host: base.host, port: base.port });
      if (text === "") Object.assign(record, { path: [...base.path], query: mark < 0 ? base.query : query });
      else record.path = slash(text[0]) ? parsePath(text.slice(1), scheme, []) : parsePath(text, scheme, base.path.slice(0, -1));
      return record;
    }
    if (special && scheme !== "file:") text = `//${text.replace(/^[/\\]*/, "")}`;
    if (!(slash(text[0]) && slash(text[1]))) {
      if (scheme === "file:" || text.startsWith("/")) record.path = parsePath(text.replace(/^[/\\]/, ""), scheme, []);
      else record.path = percentEncode(text, CONTROL);
      return record;
    }
    const end = 2 + text.slice(2).search(special ? /[/\\]|$/ : /\/|$/);
    let authority = text.slice(2, end);
    const at = authority.lastIndexOf("@");
    if (at >= 0) {
      const colon = authority.slice(0, at).indexOf(":");
      record.username = percentEncode(authority.slice(0, colon < 0 ? at : colon), USER);
      record.password = colon < 0 ? "" : percentEncode(authority.slice(colon + 1, at), USER);
      authority = authority.slice(at + 1);
    }
    const port = /:([^:\]]*)$/.exec(authority);
    if (port && scheme !== "file:") {
      authority = authority.slice(0, port.index);
      if (!/^[0-9]*$/.test(port[1]) || Number(port[1]) > 65535) return null;
      record.port = port[1] === "" || `${Number(port[1])}` === PORTS[scheme] ? "" : `${Number(port[1])}`;
    }
    if (authority === "" && ((special && scheme !== "file:") || at >= 0 || record.port)) return null;
    record.host = authority === "" ? "" : parseHost(authority, special);
    if (record.host === null) return null;
    if (scheme === "file:" && record.host === "localhost") record.host = "";
    const rest = text.slice(end);
    record.path = rest === "" && !special ? [] : parsePath(rest.slice(1), scheme, []);
    return record;
  };

  const pathText = (record) => (typeof record.path === "string" ? record.path : record.path.length ? `/${record.path.join("/")}` : "");
  const serialize = (record) => {
    let text = record.scheme;
    if (record.host !== null) {
      const login = record.username || record.password ? `${record.username}${record.password ? `:${record.password}` : ""}@` : "";
      text += `//${login}${record.host}${record.port ? `:${record.port}` : ""}`;
    } else if (typeof record.path !== "string" && record.path.length > 1 && record.path[0] === "") text += "/.";
    return `${text}${pathText(record)}${record.query === null ? "" : `?${record.query}`}${record.fragment === null ? "" : `#${record.fragment}`}`;
  };

  const parseWith = (input, base) => {
    const on = base === undefined ? undefined : parse(wellFormed(base), undefined);
    return on === null ? null : parse(wellFormed(input), on);
  };

  class URL {
    #record;
    #params = null;
    constructor(input, base) {
      this.#record = parseWith(input, base);
      if (!this.#record) throw new TypeError(`Invalid URL: ${input}`);
    }
    static canParse(input, base) { return parseWith(input, base) !== null; }
    static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }
    static text(value) { return #record in value ? serialize(value.#record) : undefined; }
    // Puts one part of this URL's text in the place of another and parses the whole; what does not parse changes nothing.
    #change(part) {
      const changed = parse(serialize({ ...this.#record, ...part }), undefined);
      if (changed) this.#record = changed;
    }
    get href() { return serialize(this.#record); }
    set href(value) {
      const record = parse(wellFormed(value), undefined);
      if (!record) throw new TypeError(`Invalid URL: ${value}`);
      this.#record = record;
      if (this.#params) replace(this.#params, record.query ?? "");
    }
    get origin() {
      const { scheme } = this.#record;
      return scheme in PORTS && scheme !== "file:" ? `${scheme}//${this.host}` : "null";
    }
    get protocol() { return this.#record.scheme; }
    set protocol(value) {
      const scheme = `${`${value}`.replace(/:.*$/s, "").toLowerCase()}:`;
      if (/^[a-z][a-z0-9+\-.]*:$/.test(scheme) && scheme in PORTS === this.#record.scheme in PORTS) this.#change({ scheme });
    }
    get username() { return this.#record.username; }
    set username(value) { if (this.#record.host) this.#record.username = percentEncode(wellFormed(value), USER); }
    get password() { return this.#record.password; }
    set password(value) { if (this.#record.host) this.#record.password = percentEncode(wellFormed(value), USER); }
    get host() { return `${this.#record.host ?? ""}${this.#record.port ? `:${this.#record.port}` : ""}`; }
    set host(value) {
      const found = /^(\[[^\]]*\]|[^:/?#\\]*)(?::([0-9]*))?/.exec(wellFormed(value));
      if (this.#record.host === null || !found?.[1]) return;
      const host = parseHost(found[1], this.#record.scheme in PORTS);
      if (host !== null) this.#change({ host, ...(found[2] ? { port: found[2] } : {}) });
    }
    get hostname() { return this.#record.host ?? ""; }
    set hostname(value) { if (!/:/.test(`${value}`.replace(/^\[.*\]$/, ""))) this.host = value; }
    get port() { return this.#record.port; }
    set port(value) {
      const digits = /^[0-9]*/.exec(`${value}`)[0];
      if (this.#record.host && (digits !== "" || `${value}` === "")) this.#change({ port: digits });
    }
    get pathname() { return pathText(this.#record); }
    set pathname(value) {
      if (typeof this.#record.path === "string") return;
      this.#record.path = parsePath(wellFormed(value).replace(/^[/\\]/, ""), this.#record.scheme, []);
    }
    get search() { return this.#record.query ? `?${this.#record.query}` : ""; }
    set search(value) {
      const text = wellFormed(value).replace(/^\?/, "");
      this.#record.query = text === "" ? null : percentEncode(text, this.#record.scheme in PORTS ? SPECIAL_QUERY : QUERY);
      if (this.#params) replace(this.#params, text);
    }
    get hash() { return this.#record.fragment ? `#${this.#record.fragment}` : ""; }
    set hash(value) {
      const text = wellFormed(value).replace(/^#/, "");
      this.#record.fragment = text === "" ? null : percentEncode(text, FRAGMENT);
    }
    get searchParams() {
      this.#params ??= attach(this.#record.query ?? "", (text) => { this.#record.query = text === "" ? null : text; });
      return this.#params;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return "URL"; }
  }
  const urlText = URL.text;
  delete URL.text;
  define("URL", URL);
  native.urlText = urlText;
}
