// gg's error: what a failed call throws. The native SDK fills its properties in.
(native) => {
  class ApiError extends Error {}
  Object.defineProperty(ApiError.prototype, "name", { value: "ApiError", writable: true, configurable: true });
  native.ApiError = ApiError;
}
