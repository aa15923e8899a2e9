import type { Clock } from "./agents";
import type * as bodies from "./bodies";
import type { Call } from "./call";
import { reject } from "./errors";
import type { Values } from "./fields";
import { newId, randomString } from "./ids";
import type { Store, StoredTcpEdge, StoredTlsEdge } from "./store";

/** Of the modules that the document disallows with "upstream", only mutual TLS cannot work on encrypted traffic. */
export function checkTlsTermination({ tls_termination, mutual_tls }: Partial<StoredTlsEdge>): void {
  if (tls_termination?.terminate_at === "upstream" && mutual_tls)
    reject("MODULE_UPSTREAM", 'The module "mutual_tls" is not allowed when terminate_at is upstream.');
}

/** Only admins may name an owner other than themselves. An unknown owner is a user who is not an admin. */
function resolveOwner({ caller }: Call, ownerId: string | undefined): string {
  if (ownerId === undefined || ownerId === caller.id) return caller.id;
  if (!caller.admin) reject("OWNER_FORBIDDEN", "Only admins may name an owner other than themselves.");
  if (!/^[a-z]+_./.test(ownerId))
    reject("FIELD_VALUE", 'The field "owner_id" must be the identifier of a user or bot.');
  return ownerId;
}

type Description = { description: string | undefined; metadata: string | undefined };

const getDescription = ({ description = "", metadata = "" }: Description) => ({ description, metadata });

export function updateDescription(
  object: { description: string; metadata: string },
  { description, metadata }: Description,
): void {
  if (description !== undefined) object.description = description;
  if (metadata !== undefined) object.metadata = metadata;
}

export const nullIfEmpty = (items: string[] | undefined) => (items && items.length > 0 ? items : null);

type TcpEdgeFields = Values<typeof bodies.TcpEdgeCreate>;
type TlsEdgeFields = Values<typeof bodies.TlsEdgeCreate>;

const newTcpEdge = (id: string, clock: Clock, body: TcpEdgeFields): StoredTcpEdge => ({
  id,
  created_at: clock.timestamp(),
  ...getDescription(body),
  hostports: nullIfEmpty(body.hostports),
  backend: body.backend ?? null,
  ip_restriction: body.ip_restriction ?? null,
  policy: body.policy ?? null,
});

const newTlsEdge = (id: string, clock: Clock, body: TlsEdgeFields): StoredTlsEdge => ({
  ...newTcpEdge(id, clock, body),
  mutual_tls: body.mutual_tls ?? null,
  tls_termination: body.tls_termination ?? null,
});

export const createApiKey = (
  call: Call,
  body: Values<typeof bodies.ApiKeyCreate>,
  { id = newId("ak_"), token = `${randomString(27)}_${randomString(20)}` }: { id?: string; token?: string } = {},
) =>
  call.store.addKey({
    id,
    created_at: call.clock.timestamp(),
    ...getDescription(body),
    owner_id: resolveOwner(call, body.owner_id),
    token,
  });

export const createSshCredential = (
  call: Call,
  body: Values<typeof bodies.SshCredentialCreate>,
  id = newId("sshcr_"),
) =>
  call.store.addCredential({
    id,
    created_at: call.clock.timestamp(),
    ...getDescription(body),
    owner_id: resolveOwner(call, body.owner_id),
    public_key: body.public_key,
    acl: nullIfEmpty(body.acl),
  });

export const createTcpEdge = ({ store, clock }: Call, body: TcpEdgeFields, id = newId("edgtcp_")) =>
  store.addEdge(store.tcpEdges, newTcpEdge(id, clock, body));

export function createTlsEdge({ store, clock }: Call, body: TlsEdgeFields, id = newId("edgtls_")) {
  const edge = newTlsEdge(id, clock, body);
  checkTlsTermination(edge);
  return store.addEdge(store.tlsEdges, edge);
}

/** Keeps the modules that the body leaves out, and replaces the others as a whole. */
export function updateEdge<T extends StoredTcpEdge>(store: Store, edge: T, body: Partial<TlsEdgeFields>): T {
  const { description, metadata, hostports, ...modules } = body;
  const newModules = Object.fromEntries(Object.entries(modules).filter(([, value]) => value !== undefined));
  checkTlsTermination({ ...edge, ...newModules });
  // The hostports come first, because they may be rejected.
  if (hostports) store.setHostports(edge, hostports);
  updateDescription(edge, { description, metadata });
  return Object.assign(edge, newModules);
}
