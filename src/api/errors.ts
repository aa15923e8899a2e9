/** What can go wrong with a call, in words for the user; the client is the only one that makes these. */

import { isObject } from "../json";

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
      this.message +=
        " Something other than the service responds at this address. Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";
    } else if (origin === "unclear") {
      this.message += " Whether it was deleted is not known, because GET /api_keys failed too. Run the command again.";
    }
  }
}

/** Whether the service itself says that there is no such object. */
export const isNotFound = (error: unknown): error is CallError => isStatus(error, 404) && error.origin === "service";

/** Whether the service was not reached at all, or something else responds at its address. */
export const isUnreachable = (error: unknown): error is CallError =>
  error instanceof CallError && (error.origin === "proxy" || (error.status === undefined && !error.mayHaveSucceeded));

export const isStatus = (error: unknown, ...statuses: number[]): error is CallError =>
  error instanceof CallError && error.status !== undefined && statuses.includes(error.status);

/** The engine keeps a provider's configuration in the state, and takes it from there where no program runs. */
const savedSettingsHint =
  "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program to use " +
  "the current ones.";
export const otherAddressHint = `If tunnel-edge:baseUrl is another address: ${savedSettingsHint}`;

/** What a rejected call most often needs. */
const fixes: Record<number, string> = {
  401: `Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey). ${savedSettingsHint}`,
  403: "The key's owner is not allowed to do this.",
  429: "The service's rate limit did not end in time; set tunnel-edge:requestsPerMinute to stay below it.",
};

/**
 * Reads the service's error body, which may as well be a proxy's HTML or nothing at all. The secrets are taken out of
 * what the service says, and of nothing else: a header's value may be a word that occurs in paths.
 */
export function httpError(
  call: string,
  status: number,
  text: string,
  maybeDone: boolean,
  secrets: string[] = [],
): CallError {
  const { code, words, operationId, origin } = readErrorBody(text, secrets);
  const said = [code, words].filter(Boolean).join(": ").replace(/\.$/, "");
  const told = `${call} answered ${status}${said && ` ${said}`}${operationId ? ` (operation ${operationId})` : ""}`;
  const sentence = /[?!]$/.test(told) ? told : `${told}.`;
  const next = fixes[status];
  const mayHaveSucceeded = maybeDone;
  return new CallError(next ? `${sentence} ${next}` : sentence, {
    status,
    mayHaveSucceeded,
    code,
    operationId,
    origin,
  });
}

interface ErrorBody {
  code?: string;
  words?: string;
  operationId?: string;
  origin: Origin;
}

function readErrorBody(text: string, secrets: string[]): ErrorBody {
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return { origin: "proxy", words: "with a page that is not the service's" };
  }
  if (!isObject(body)) return { origin: "unclear" };
  const isOwn = "error_code" in body || ("status_code" in body && "msg" in body);
  const details = isObject(body.details) ? body.details : {};
  return {
    code: printable(body.error_code, secrets),
    words: printable(body.msg, secrets),
    operationId: printable(details.operation_id, secrets),
    origin: isOwn ? "service" : "unclear",
  };
}

/** A string from the service, made safe for a terminal and without secrets. */
function printable(value: unknown, secrets: string[] = []): string | undefined {
  return typeof value === "string" ? redact(toOneLine(value), secrets) || undefined : undefined;
}

/** A text without line breaks and other control characters. */
export const toOneLine = (text: string) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g, " ").trim();

/** Shorter secrets are not worth hiding, and hiding them would make words unreadable. */
const shortestSecret = 5;

/** Takes secrets out of a text, also those that the service repeats on one line. */
export function redact(text: string, secrets: string[]): string {
  return secrets
    .flatMap((secret) => [secret, toOneLine(secret)])
    .filter((secret) => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.split(secret).join("[secret]"), text);
}

interface Failure {
  retry: boolean;
  maybeDone: boolean;
  words: string;
}

/** Failures before the service could have seen anything. */
const unsent: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "the connection was not accepted in time",
};

/** Failures after the request may have been carried out. */
const lost: Record<string, string> = {
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_BODY_TIMEOUT: "the answer did not end in time",
  TimeoutError: "the answer did not end in time",
  ECONNRESET: "the connection was closed before the answer",
  EPIPE: "the connection was closed before the answer",
  UND_ERR_SOCKET: "the connection was closed before the answer",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut off",
};

/** A failure of the connection or of what came over it, told apart by undici's and Node's codes. */
export function connectionFailure(error: unknown): Failure {
  const { code = "", name = "", message = "" } = (error ?? {}) as { code?: string; name?: string; message?: string };
  const key = [code, name].find((text) => text in unsent || text in lost);
  if (key && key in unsent) return { retry: true, maybeDone: false, words: unsent[key]! };
  if (key) return { retry: true, maybeDone: true, words: lost[key]! };
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    const words = "what responds there does not speak TLS; check the scheme and the port of tunnel-edge:baseUrl";
    return { retry: false, maybeDone: false, words };
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    const words = `the service's certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS adds a certificate authority`;
    return { retry: false, maybeDone: false, words };
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return { retry: false, maybeDone: true, words: "the answer is larger than any answer of the service" };
  }
  return { retry: true, maybeDone: true, words: `the connection failed (${code || printable(message) || name})` };
}
