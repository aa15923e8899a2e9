/** Errors as the protocol carries them: a message for the user and, after a partial failure, what the state records. */

import { Metadata, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { SavedFailure } from "./pluginResource";
import { encode } from "./properties";

export function toServiceError(error: unknown) {
  const details = error instanceof Error ? error.message : String(error);
  const metadata = new Metadata();
  if (error instanceof SavedFailure) metadata.add("grpc-status-details-bin", failureDetails(error, details));
  return { code: status.UNKNOWN, details, metadata };
}

function failureDetails({ id, outputs }: SavedFailure, message: string): Buffer {
  const failure = new ErrorResourceInitFailed();
  failure.setId(id);
  failure.setProperties(encode(outputs));
  failure.setReasonsList([message]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const result = new Status();
  result.setCode(status.UNKNOWN);
  result.setMessage(message);
  result.addDetails(detail);
  return Buffer.from(result.serializeBinary());
}
