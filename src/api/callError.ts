/** Why calls fail, and the messages for the user. */

import { isObject, isTooDeep, type Json } from "../base/json";
import { type Redaction, toOneLine } from "../base/redaction";
import { isLoopback, proxyVariables } from "../base/settings";
import { type Body, type Evidence, judge } from "./evidence";
import type { RateLimitHeaders } from "./rateLimitHeaders";

export interface CallErrorDetails {
  /** The HTTP status of the response; undefined if there was none. */
  status?: number;
  /** What the response, or its absence, proves. */
  evidence: Evidence;
  /** Whose body the response has. */
  body?: Body;
  /** Whether something other than the service responded, or nothing at all. */
  isUnreachable?: boolean;
  /** The service's error code. */
  code?: string;
  /** The service's id of this call, which its support can look up. */
  operationId?: string;
  /** The content type and the keys of the response's body. */
  form?: string;
}

/** The fix where something other than the service responds. */
export const baseUrlFix = "Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";
export const foreignFix = `Something other than the service responds at this address. ${baseUrlFix}`;
/** The fix where the service itself does not know the path of a list. */
export const basePathFix = "Check the path in tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";

/** A call that failed. `message` is one line that names the call and the service's error. */
export class CallError extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly operationId: string | undefined;
  readonly form: string | undefined;
  readonly body: Body;
  evidence: Evidence;
  isUnreachable: boolean;

  constructor(message: string, details: CallErrorDetails) {
    super(message);
    this.name = "CallError";
    this.status = details.status;
    this.code = details.code;
    this.operationId = details.operationId;
    this.form = details.form;
    this.body = details.body ?? "none";
    this.evidence = details.evidence;
    this.isUnreachable = details.isUnreachable ?? false;
  }

  /** Continues the message. */
  append(sentence: string): this {
    this.message = joinSentences(this.message, sentence);
    return this;
  }
}

/** Whether it is proven that the object of a call was deleted. */
export const isDeleted = (error: unknown): error is CallError =>
  error instanceof CallError && error.evidence.object === "deleted";

/** The call, if it failed and the service may have executed it nevertheless: the error itself, or its cause. */
export function uncertainCall(error: unknown): CallError | undefined {
  if (error instanceof CallError) return error.evidence.call === "not executed" ? undefined : error;
  return error instanceof Error && error.cause !== undefined ? uncertainCall(error.cause) : undefined;
}

export const isStatus = (error: unknown, ...statuses: number[]): error is CallError =>
  error instanceof CallError && error.status !== undefined && statuses.includes(error.status);

/** The engine stores the provider's settings in the state, and uses them to read and delete when no program runs. */
const savedSettingsHint =
  "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program to use " +
  "the current ones.";
const hasSavedSettings = (call: string) => /^(GET|DELETE) /.test(call);

const rejectedKeyFix = "Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey).";
/** The fix where the service rejects the key, and the key may be a saved one. */
export const keyFix = `${rejectedKeyFix} ${savedSettingsHint}`;

/** The usual fix for a status. */
const fixes: Record<number, string> = {
  401: rejectedKeyFix,
  403: "The owner of the API key is not allowed to do this. Use a key whose owner is.",
  429: "The rate limit lasted longer than the timeout; set tunnel-edge:requestsPerMinute to stay below it.",
};

/** A response that was received. */
export interface Received {
  status: number;
  text: string;
  contentType?: string;
  /** Where a redirect leads. */
  location?: string;
  rateLimit?: RateLimitHeaders;
}

/**
 * The error for a response that is not what was requested. Its body may be the service's, a gateway's, or empty.
 */
export function responseError(
  call: string,
  response: Received,
  { body, evidence, problem }: { body: Body; evidence: Evidence; problem: string | undefined },
  redaction: Redaction,
): CallError {
  const { status, text } = response;
  const isUnreachable = body === "foreign" || (body === "none" && status === 404);
  const details = { status, evidence, body, isUnreachable, form: formOf(response) };
  const value = parseJson(text);
  if (status >= 200 && status < 300) {
    const isJson = value !== undefined || text.trim() === "";
    const returned = isJson ? (problem ?? status) : `${status} with a body that is not JSON`;
    return new CallError(joinSentences(`${call} returned ${returned}.`, baseUrlFix), details);
  }
  const { code, message, operationId } = readErrorBody(value, redaction);
  const reason =
    value === undefined && text.trim() !== ""
      ? " with a body that is not JSON"
      : `${code ? ` ${code}` : ""}${message ? `: ${message}` : ""}`;
  const operation = operationId ? ` (operation ${operationId})` : "";
  const redirect = response.location === undefined ? "" : `, a redirect to ${redaction.clean(response.location)}`;
  const sentence = endSentence(`${call} returned ${status}${redirect}${reason.replace(/\.$/, "")}${operation}`);
  const fix = body !== "error" && status === 404 ? foreignFix : status < 400 ? baseUrlFix : fixes[status];
  const hint = status === 401 && hasSavedSettings(call) ? savedSettingsHint : undefined;
  return new CallError(joinSentences(sentence, fix, hint), { ...details, code, operationId });
}

const joinSentences = (...sentences: (string | undefined)[]) => sentences.filter(Boolean).join(" ");

const endSentence = (text: string) => (/[?!]$/.test(text) ? text : `${text}.`);

/** The JSON of a body; undefined if it is empty, not JSON, or nested so deep that a recursion would fail. */
export function parseJson(text: string): Json | undefined {
  try {
    const value = text.trim() === "" ? undefined : (JSON.parse(text) as Json);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a body has the form of the service's errors. */
export const isErrorBody = (value: Json | undefined): boolean =>
  isObject(value) && ("error_code" in value || ("status_code" in value && "msg" in value));

/** The content type and the keys of a body: what bodies of one kind have in common. */
function formOf({ text, contentType = "" }: Received): string {
  const value = parseJson(text);
  return [contentType.split(";")[0]!.trim(), ...(isObject(value) ? Object.keys(value).sort() : [])].join(" ");
}

interface ErrorBody {
  code?: string;
  message?: string;
  operationId?: string;
}

function readErrorBody(body: Json | undefined, { clean }: Redaction): ErrorBody {
  if (!isObject(body)) return {};
  const details = isObject(body.details) ? body.details : {};
  return {
    code: stringOf(body.error_code, clean),
    message: stringOf(body.msg, clean),
    operationId: stringOf(details.operation_id, clean),
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
/** What messages say about settings in the state, the longest first. */
export const savedSettingsHints = [changedAddressHint, savedSettingsHint];

/** Names the variable of the environment, and not its value: the address of a proxy may have a password. */
function proxyHint(address: string): string | undefined {
  const variable = isLoopback(new URL(address).hostname)
    ? undefined
    : proxyVariables().find((name) => process.env[name]);
  return variable && `Check ${variable}, which names the proxy, and NO_PROXY.`;
}

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
    const emulatorHint = isEmulatorStopped(code, address) ? "Is the emulator running?" : proxyHint(address);
    const addressHint = hasSavedSettings(call) ? changedAddressHint : undefined;
    return { failure: withoutResponse(joinSentences(failed, emulatorHint, addressHint), "unsent"), canRetry };
  };
  const lost = (reason: string, canRetry: boolean) => ({
    failure: withoutResponse(`${call} failed: ${reason}.`, "lost"),
    canRetry,
  });
  const key = [code, name].find((text) => text in connectFailures || text in responseFailures);
  if (key && key in connectFailures && !wasConnected(error)) return unsent(connectFailures[key]!, true);
  if (key) return lost(connectFailures[key] ?? responseFailures[key]!, true);
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  if (proxyStatus === "407") return unsent("the proxy returned 407: it requires a user name and a password", false);
  if (proxyStatus) return unsent(`the proxy returned ${proxyStatus}`, true);
  if (code in tlsFailures) return unsent(tlsFailures[code]!, false);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return unsent(`the certificate is not trusted (${code}); add its authority with NODE_EXTRA_CA_CERTS`, false);
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return lost("the response is too large", false);
  }
  return lost(`the connection failed (${code || toOneLine(message) || name})`, true);
}

/** The error for a call without a response. */
export const withoutResponse = (message: string, status: "unsent" | "lost"): CallError =>
  new CallError(message, {
    evidence: judge({ method: "GET", status, body: "none", isProven: false }),
    isUnreachable: status === "unsent",
  });

/** Whether a connection broke that was established: a host can become unreachable after the request was written. */
const wasConnected = (error: unknown) =>
  ["read", "write"].includes((error as { syscall?: string } | undefined)?.syscall ?? "");
