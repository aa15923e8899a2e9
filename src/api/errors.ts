/** Why calls fail, and the messages for the user. */

import { isObject } from "../json";
import { type Redaction, toOneLine } from "../redaction";
import { isLoopback } from "../settings";

/** Who sent a response. The response of a proxy or gateway in front of the service says nothing about the object. */
export type Origin = "service" | "proxy" | "unclear";

export interface CallErrorDetails {
  /** The HTTP status of the response; undefined if there was none. */
  status?: number;
  /** Whether the service may have executed the call anyway, in this attempt or an earlier one. */
  mayHaveSucceeded?: boolean;
  /** The service's error code. */
  code?: string;
  /** The service's id of this call, which its support can look up. */
  operationId?: string;
  /** Who sent the response. */
  origin?: Origin;
}

/** The fix where something other than the service responds. */
export const baseUrlFix = "Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";
/** The fix where the service itself does not know the path of a list. */
export const basePathFix = "Check the path in tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";

/** A call that failed. `message` is one line that names the call and the service's error. */
export class CallError extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly operationId: string | undefined;
  mayHaveSucceeded: boolean;
  origin: Origin;

  constructor(message: string, details: CallErrorDetails = {}) {
    super(message);
    this.name = "CallError";
    this.status = details.status;
    this.code = details.code;
    this.operationId = details.operationId;
    this.mayHaveSucceeded = details.mayHaveSucceeded ?? false;
    this.origin = details.origin ?? "service";
  }

  /** Records who sent the response, as far as that is known. */
  setOrigin(origin: Origin): void {
    this.origin = origin;
    if (origin === "proxy") {
      this.message += ` Something other than the service responds at this address. ${baseUrlFix}`;
    } else if (origin === "unclear") {
      this.message +=
        " It is not known whether the object was deleted, because GET /api_keys failed too. Run the command again.";
    }
  }
}

/** Whether the service itself returned 404. */
export const isNotFound = (error: unknown): error is CallError => isStatus(error, 404) && error.origin === "service";

/** Whether the service could not be reached, or something else responds at its address. */
export const isUnreachable = (error: unknown): error is CallError =>
  error instanceof CallError && (error.origin === "proxy" || (error.status === undefined && !error.mayHaveSucceeded));

/** The call, if it failed and the service may have executed it nevertheless: the error itself, or its cause. */
export function uncertainCall(error: unknown): CallError | undefined {
  if (error instanceof CallError) return error.mayHaveSucceeded ? error : undefined;
  return error instanceof Error && error.cause !== undefined ? uncertainCall(error.cause) : undefined;
}

export const isStatus = (error: unknown, ...statuses: number[]): error is CallError =>
  error instanceof CallError && error.status !== undefined && statuses.includes(error.status);

/** The engine keeps the provider's settings in the state, and reads and deletes with them when no program runs. */
const savedSettingsHint =
  "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program to use " +
  "the current ones.";
const mayUseSavedSettings = (call: string) => /^(GET|DELETE) /.test(call);

/** The usual fix for a status. */
const fixes: Record<number, string> = {
  401: "Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey).",
  403: "The owner of the API key is not allowed to do this. Use a key whose owner is.",
  429: "The rate limit lasted longer than the timeout; set tunnel-edge:requestsPerMinute to stay below it.",
};

/**
 * The error for a response with an error status. Its body may be the service's, a proxy's HTML, or empty.
 */
export function httpError(
  call: string,
  response: { status: number; text: string },
  redaction: Redaction,
  { mayHaveSucceeded = false } = {},
): CallError {
  const { status, text } = response;
  const { code, message, operationId, origin } = readErrorBody(text, redaction);
  const reason =
    origin === "proxy" ? " with a body that is not JSON" : `${code ? ` ${code}` : ""}${message ? `: ${message}` : ""}`;
  const operation = operationId ? ` (operation ${operationId})` : "";
  const sentence = endSentence(`${call} returned ${status}${reason.replace(/\.$/, "")}${operation}`);
  const hint = status === 401 && mayUseSavedSettings(call) ? savedSettingsHint : undefined;
  const details = { status, mayHaveSucceeded, code, operationId, origin };
  const error = new CallError(joinSentences(sentence, fixes[status], hint), details);
  if (status === 404 && origin === "proxy") error.setOrigin(origin);
  return error;
}

const joinSentences = (...sentences: (string | undefined)[]) => sentences.filter(Boolean).join(" ");

const endSentence = (text: string) => (/[?!]$/.test(text) ? text : `${text}.`);

/** The error for a response with a status of success and a body that is not JSON. */
export const notJsonError = (call: string, status: number) =>
  new CallError(`${call} returned ${status} with a body that is not JSON. ${baseUrlFix}`, {
    status,
    mayHaveSucceeded: true,
    origin: "proxy",
  });

interface ErrorBody {
  code?: string;
  message?: string;
  operationId?: string;
  origin: Origin;
}

function readErrorBody(text: string, { clean }: Redaction): ErrorBody {
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return { origin: "proxy" };
  }
  if (!isObject(body)) return { origin: "unclear" };
  const isFromService = "error_code" in body || ("status_code" in body && "msg" in body);
  const details = isObject(body.details) ? body.details : {};
  return {
    code: stringOf(body.error_code, clean),
    message: stringOf(body.msg, clean),
    operationId: stringOf(details.operation_id, clean),
    origin: isFromService ? "service" : "unclear",
  };
}

/** A string from the service, if it is one and not empty. */
const stringOf = (value: unknown, clean: Redaction["clean"]) =>
  typeof value === "string" ? clean(value) || undefined : undefined;

/** Failures before the service can have received the request, by undici's and Node's codes. */
const connectFailures: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
};

/** Failures to agree on TLS, which no retry helps. */
const tlsFailures: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS; check the scheme and the port of tunnel-edge:baseUrl",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host name; check the host of tunnel-edge:baseUrl",
  CERT_HAS_EXPIRED: "the certificate has expired; renew it on the server",
};

/** Failures after which the request may have been executed. */
const responseFailures: Record<string, string> = {
  UND_ERR_HEADERS_TIMEOUT: "no response before the timeout",
  UND_ERR_BODY_TIMEOUT: "the response did not end before the timeout",
  TimeoutError: "the response did not end before the timeout",
  ECONNRESET: "the connection was closed before the response",
  EPIPE: "the connection was closed before the response",
  UND_ERR_SOCKET: "the connection was closed before the response",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response was cut off",
};

const changedAddressHint = `If tunnel-edge:baseUrl has changed, note that ${savedSettingsHint}`;

/** Nothing listens on this machine. The emulator does not speak TLS. */
function isEmulatorStopped(code: string, address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return code === "ECONNREFUSED" && protocol === "http:" && isLoopback(hostname);
}

/** A request without a complete response, and whether a retry can help. */
export function connectionError(
  call: string,
  address: string,
  error: unknown,
): { failure: CallError; canRetry: boolean } {
  const { code = "", name = "", message = "" } = (error ?? {}) as { code?: string; name?: string; message?: string };
  const unsent = (reason: string, canRetry: boolean) => {
    const failed = `${call} failed to connect to ${address}: ${reason}.`;
    const emulatorHint = isEmulatorStopped(code, address) ? "Is the emulator running?" : undefined;
    const addressHint = mayUseSavedSettings(call) ? changedAddressHint : undefined;
    return { failure: new CallError(joinSentences(failed, emulatorHint, addressHint)), canRetry };
  };
  const lost = (reason: string, canRetry: boolean) => ({
    failure: new CallError(`${call} failed: ${reason}.`, { mayHaveSucceeded: true }),
    canRetry,
  });
  const key = [code, name].find((text) => text in connectFailures || text in responseFailures);
  if (key && key in connectFailures) return unsent(connectFailures[key]!, true);
  if (key) return lost(responseFailures[key]!, true);
  if (code in tlsFailures) return unsent(tlsFailures[code]!, false);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return unsent(`the certificate is not trusted (${code}); add its authority with NODE_EXTRA_CA_CERTS`, false);
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return lost("the response is too large", false);
  }
  return lost(`the connection failed (${code || toOneLine(message) || name})`, true);
}
