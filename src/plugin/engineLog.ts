/** The engine that started this plugin, and the log, whose messages stand on the row of the resource that is managed. */

import { AsyncLocalStorage } from "node:async_hooks";
import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { createLog, type Log } from "../core/log";
import { Engine, type Libraries } from "../engine/engine";
import { log } from "../engine/log";

const libraries = (): Libraries => ({ grpc, EngineClient, LogRequest, LogSeverity }) as unknown as Libraries;

export const connectEngine = (address: string | undefined) => new Engine(address, libraries);

const current = new AsyncLocalStorage<string>();

/**
 * Runs an operation on the resource with this URN, on whose row stands what is said meanwhile. It slows down the whole
 * process from its first use.
 */
export const inResource = <T>(urn: string, work: () => Promise<T>): Promise<T> => current.run(urn, work);

/** A log that writes to the engine that is currently attached. */
export const logTo = (engine: () => Engine): Log =>
  createLog((severity, message, about, isStatus) =>
    log(engine(), { severity, message, isStatus, urn: about?.key ?? current.getStore() }),
  );
