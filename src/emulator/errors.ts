/** The service's errors and their HTTP status. */
const statusByName = {
  UNAUTHENTICATED: 401,
  VERSION: 400,
  HOST: 421,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNKNOWN_QUERY: 400,
  BAD_QUERY: 400,
  BODY_NOT_ALLOWED: 400,
  BODY_TOO_LARGE: 413,
  BODY_NOT_JSON: 400,
  BODY_NOT_OBJECT: 400,
  CONTENT_TYPE: 415,
  UNKNOWN_FIELD: 400,
  FIELD_REQUIRED: 400,
  FIELD_TYPE: 400,
  FIELD_VALUE: 400,
  FIELD_TOO_LONG: 400,
  MODULE_NOT_REMOVABLE: 400,
  MIN_VERSION_UPSTREAM: 400,
  MODULE_UPSTREAM: 400,
  HOSTPORT_TAKEN: 409,
  PUBLIC_KEY_TAKEN: 400,
  ID_TAKEN: 409,
  OWNER_FORBIDDEN: 403,
  NOT_FOUND: 404,
  MODULE_NOT_SET: 404,
  RESTART_WINDOWS: 400,
  UPDATE_NOT_AVAILABLE: 400,
  UPDATE_DISABLED: 400,
  UPDATE_RUNNING: 400,
  UPDATE_DONE: 400,
  RATE_LIMIT: 429,
  INTERNAL: 500,
} as const;

export type ErrorName = keyof typeof statusByName;

/** An error of the service. `code` is stable; `message` is not. */
export class EmulatorError extends Error {
  readonly code: string;
  readonly status: number;
  /** Headers of the error response. */
  readonly headers: Record<string, string>;

  constructor(name: ErrorName, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = "EmulatorError";
    this.code = `ERR_TUNNEL_${name}`;
    this.status = statusByName[name];
    this.headers = headers;
  }
}

export function reject(name: ErrorName, message: string, headers?: Record<string, string>): never {
  throw new EmulatorError(name, message, headers);
}

/** The body of every error response. */
export interface ErrorBody {
  error_code: string;
  status_code: number;
  msg: string;
  details: { operation_id: string };
}

export function createErrorBody(code: string, status: number, msg: string, operationId: string): ErrorBody {
  return { error_code: code, status_code: status, msg, details: { operation_id: operationId } };
}
