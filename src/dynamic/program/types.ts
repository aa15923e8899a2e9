/**
 * What a program sees of the properties in the definitions. The types are mapped from the definitions' interfaces, so
 * that each property's name, type, optionality and documentation are written there and nowhere else.
 */

import type * as pulumi from "@pulumi/pulumi";
import type { Primitive, ValueWithLists } from "../../definitions/fields/field";
import type * as policyRules from "../../definitions/fields/policyRules";
import type * as modules from "../../definitions/modules";

/** Arguments: every value, at any depth, can be an Output. */
export type Inputs<Props> = { [Name in keyof Props]: pulumi.Input<InputValue<Exclude<Props[Name], undefined>>> };

/** A second base of an interface. With one base and no members of its own, TypeScript's errors name the base instead. */
export type Named = object;

type InputValue<T> = T extends Primitive
  ? T
  : T extends (infer Item)[]
    ? pulumi.Input<InputValue<Item>>[]
    : T extends object
      ? Inputs<T>
      : T;

/** Arguments that can be left out and always have a value in outputs, be it a default or one that the service chooses. */
type AlwaysSet = "enabled" | "ownerId";

/** Values as outputs and function results have them: a list is never undefined. */
type OutputValue<Name, T> = Name extends AlwaysSet
  ? NonNullable<T>
  : NonNullable<T> extends unknown[]
    ? ValueWithLists<NonNullable<T>>
    : ValueWithLists<T>;

/** The outputs of a resource class. `id` is the SDK's. */
export type Outputs<Props> = {
  readonly [Name in keyof Props as Exclude<Name, "id">]-?: pulumi.Output<OutputValue<Name, Props[Name]>>;
};

/** The result of a function. A secret is an Output in both forms of the function. */
export type Result<Props, Secret extends keyof Props = never> = {
  readonly [Name in keyof Required<Props>]: Name extends Secret
    ? pulumi.Output<OutputValue<Name, Props[Name]>>
    : OutputValue<Name, Props[Name]>;
};

/** Properties without some of them. Unlike TypeScript's own Omit, it keeps the documentation. */
export type Without<Props, Names extends keyof Props> = {
  [Name in keyof Props as Exclude<Name, Names>]: Props[Name];
};

/** The arguments of an Output form: whatever the Promise form takes may be an Output, or contain one. */
export type OutputArgs<Args> = { [Name in keyof Args]: DeepInput<Args[Name]> };
type DeepInput<T> = [T] extends [object | undefined]
  ? pulumi.Input<{ [Name in keyof T]: DeepInput<T[Name]> }>
  : pulumi.Input<T>;

/** Arguments as outputs and function results have them: plain values, in which a list is never undefined. */
export type Resolved<Args> = ValueWithLists<Unwrapped<Args>>;

/** As the SDK's own Unwrap, which makes never of unknown. */
type Unwrapped<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends Promise<infer Value> | pulumi.OutputInstance<infer Value>
      ? Unwrapped<Value>
      : T extends object
        ? { [Name in keyof T]: Unwrapped<T[Name]> }
        : T;

/** The arguments of a backend module. */
export interface BackendArgs extends Inputs<modules.Backend> {}

/** The arguments of an IP restriction module. */
export interface IpRestrictionArgs extends Inputs<modules.IpRestriction> {}

/** The arguments of a mutual TLS module. */
export interface MutualTlsArgs extends Inputs<modules.MutualTls> {}

/** The arguments of a TLS termination module. */
export interface TlsTerminationArgs extends Inputs<modules.TlsTermination> {}

/** The arguments of a traffic policy. */
export interface PolicyArgs extends Inputs<modules.Policy> {}

/** The arguments of a traffic policy's rule. */
export interface PolicyRuleArgs extends Inputs<policyRules.PolicyRule> {}

/** The arguments of a rule's action. */
export interface PolicyActionArgs extends Inputs<policyRules.PolicyAction> {}

/** The arguments that name a route of an HTTPS edge. */
export interface RouteArgs extends Inputs<modules.EdgeRoute> {}
