// Our own host functions. Those that the manifest grants answer; the others answer with the error FORBIDDEN.

@external("extism:host/user", "resource_write")
declare function resource_write(request: i64, bytes: i64): i64;
@external("extism:host/user", "resource_read")
declare function resource_read(request: i64): i64;
@external("extism:host/user", "progress")
declare function progress(request: i64): i64;
@external("extism:host/user", "log")
declare function log(request: i64): i64;
@external("extism:host/user", "config_get")
declare function config_get(request: i64): i64;
@external("extism:host/user", "kv_get")
declare function kv_get(request: i64): i64;
@external("extism:host/user", "kv_set")
declare function kv_set(request: i64): i64;
@external("extism:host/user", "http_request")
declare function http_request(request: i64, body: i64): i64;

/** `which` is the place of the function in `HOST_FUNCTIONS` of runtime/native.ts. */
export function callHostFunction(which: i32, request: i64, bytes: i64): i64 {
  switch (which) {
    case 0: return resource_write(request, bytes);
    case 1: return resource_read(request);
    case 2: return progress(request);
    case 3: return log(request);
    case 4: return config_get(request);
    case 5: return kv_get(request);
    case 6: return kv_set(request);
    case 7: return http_request(request, bytes);
    default: unreachable();
  }
  return 0;
}
