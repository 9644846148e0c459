import type { components, paths, webhooks } from '../dist/openapi.js';

// dist/openapi.d.ts is generated from openapi/openapi.json. From dist, the path above leads to the same file.

export type { components, paths, webhooks };

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The operation of a path, or never. */
export type Operation<M extends Method, P extends keyof paths> = paths[P][M];

/** The body of the successful response. */
export type DataOf<O> = O extends { responses: { 200: { content: { 'application/json': infer D } } } } ? D : never;

type Body<R> = R extends { content: infer C } ? C[keyof C] : never;
type ErrorsOf<O> = O extends { responses: infer R } ? Body<R[Exclude<keyof R, 200 | 302 | 304>]> : never;
type TypeIn<B> = B extends { error_type: infer T } ? T : never;

/** The error types that the document lists for one call, as a union of string literals. */
export type ErrorTypeOf<M extends Method, P extends keyof paths> = TypeIn<ErrorsOf<Operation<M, P>>>;

/** All error types of the document. */
export type ErrorType = { [P in keyof paths]: { [M in Method]: ErrorTypeOf<M, P> }[Method] }[keyof paths];

export type Problem = components['schemas']['Problem'];

type Schemas = components['schemas'];

/** An event of the feed and the body of a webhook. */
export type Event = Schemas['EventResponse'];
export type App = Schemas['AppResponse'];
export type Approval = Schemas['ApprovalResponse'];
export type ApproverGroup = Schemas['ApproverGroupResponse'];
export type AuditEntry = Schemas['AuditEntryResponse'];
export type Factor = Schemas['FactorResponse'];
export type OauthConnection = Schemas['OauthConnectionResponse'];
/** A version of a policy. */
export type Policy = Schemas['PolicyResponse'];
export type PolicyDecision = Schemas['DecisionResponse'];
export type PolicyRule = Schemas['PolicyRule'];
export type Session = Schemas['IssuedSessionResponse'];
export type Transfer = Schemas['TransferResponse'];
export type User = Schemas['UserResponse'];
export type Wallet = Schemas['WalletResponse'];
export type WebhookEndpoint = Schemas['WebhookEndpointResponse'];
