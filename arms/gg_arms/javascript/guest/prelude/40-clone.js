// structuredClone: the structured clone algorithm over what this engine has.
(native) => {
  const { classOf, unwrap, proxyTarget } = native;
  const { apply, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const mapForEach = uncurry(Map.prototype.forEach), setForEach = uncurry(Set.prototype.forEach);
  const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set), mapHas = uncurry(Map.prototype.has);
  const setAdd = uncurry(Set.prototype.add), getTime = uncurry(Date.prototype.getTime);
  const bufferSlice = uncurry(ArrayBuffer.prototype.slice);
  const getter = (object, name) => uncurry(getOwnPropertyDescriptor(object, name).get);
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(typedArray, Symbol.toStringTag), typedLength = getter(typedArray, "length");
  const source = getter(RegExp.prototype, "source"), flags = getter(RegExp.prototype, "flags");
  const isArray = Array.isArray, isView = ArrayBuffer.isView, MapClass = Map, SetClass = Set, DateClass = Date, RegExpClass = RegExp;
  const ObjectOf = Object, DataViewClass = DataView, Exception = DOMException, defineProperty = Object.defineProperty;
  const classes = { __proto__: null, Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
  for (const type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array])
    classes[type.name] = type;
  const symbolText = uncurry(Symbol.prototype.toString);

  const refuse = (what) => { throw new Exception(`${what} could not be cloned.`, "DataCloneError"); };
  const put = (object, key, value) => defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

  const fill = (seen, from, to) => {
    const keys = ownKeys(from);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] === "symbol") continue;
      const found = getOwnPropertyDescriptor(from, keys[i]);
      if (found?.enumerable) put(to, keys[i], clone(seen, from[keys[i]]));
    }
    return to;
  };

  const clone = (seen, value) => {
    if (typeof value === "symbol") refuse(symbolText(value));
    if (typeof value === "function") refuse(`${value}`);
    if (typeof value !== "object" || value === null) return value;
    if (mapHas(seen, value)) return mapGet(seen, value);
    if (proxyTarget(value) !== undefined) refuse("#<Object>");
    const made = (copy) => { mapSet(seen, value, copy); return copy; };
    const kind = classOf(value);
    if (isArray(value)) {
      const copy = made([]);
      copy.length = value.length;
      return fill(seen, value, copy);
    }
    switch (kind) {
      case "Map": {
        const copy = made(new MapClass()), held = new MapClass();
        mapForEach(value, (item, key) => mapSet(held, key, item));
        mapForEach(held, (item, key) => mapSet(copy, clone(seen, key), clone(seen, item)));
        return copy;
      }
      case "Set": {
        const copy = made(new SetClass()), held = new SetClass();
        setForEach(value, (item) => setAdd(held, item));
        setForEach(held, (item) => setAdd(copy, clone(seen, item)));
        return copy;
      }
      case "Date": return made(new DateClass(getTime(value)));
      case "RegExp": return made(new RegExpClass(source(value), flags(value)));
      case "ArrayBuffer": return made(bufferSlice(value, 0));
      case "Number": case "String": case "Boolean": case "BigInt": return made(ObjectOf(unwrap(value)));
      case "Error": {
        const name = `${value.name}`, type = classes[name] ?? classes.Error;
        const copy = made(new type());
        for (const key of ["message", "cause", "stack"]) {
          const found = key === "stack" ? { value: value.stack } : getOwnPropertyDescriptor(value, key);
          if (found && "value" in found)
            defineProperty(copy, key, { value: key === "cause" ? clone(seen, found.value) : found.value, writable: true, configurable: true });
        }
        return copy;
      }
      case "Object": case "Arguments": return fill(seen, value, made({}));
    }
    if (isView(value)) {
      const buffer = clone(seen, value.buffer), tag = typedTag(value);
      if (tag === undefined) return made(new DataViewClass(buffer, value.byteOffset, value.byteLength));
      return made(new (classes[tag] ?? refuse(`#<${tag}>`))(buffer, value.byteOffset, typedLength(value)));
    }
    return refuse(`#<${kind}>`);
  };

  Object.defineProperty(globalThis, "structuredClone", {
    value: function structuredClone(value) { return clone(new MapClass(), value); }, writable: true, configurable: true,
  });
}
