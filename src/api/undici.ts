/**
 * What sends requests, of undici. Its main module loads three times as many files, for a tenth of a second: fetch, web
 * sockets, cookies, caches, mocks.
 */
import type { Method } from "./routes";

/** As much of undici's dispatcher as is used: the package's types do not mention undici, which users may lack. */
export interface Sender {
  request(options: {
    origin: string;
    path: string;
    method: Method;
    headers: Record<string, string>;
    body: string | null;
    signal: AbortSignal;
  }): Promise<{
    statusCode: number;
    headers: Record<string, string | string[] | undefined>;
    body: { text(): Promise<string> };
  }>;
}

type SenderClass = new (options: {
  connect: { timeout: number };
  headersTimeout: number;
  bodyTimeout: number;
  maxResponseSize: number;
  connections: number;
}) => Sender;

function loadSenders(): Pick<typeof import("undici"), "Agent" | "EnvHttpProxyAgent"> {
  try {
    Object.assign(require("undici/lib/dispatcher/dispatcher").prototype, require("undici/lib/api"));
    return {
      Agent: require("undici/lib/dispatcher/agent"),
      EnvHttpProxyAgent: require("undici/lib/dispatcher/env-http-proxy-agent"),
    };
  } catch {
    // A later version may have other files.
    return require("undici");
  }
}

export const { Agent, EnvHttpProxyAgent }: Record<"Agent" | "EnvHttpProxyAgent", SenderClass> = loadSenders();
