/** An id of an object of this kind, such as `Id<'user'>`. A plain string is accepted too; an id of another kind does not compile. */
export type Id<Kind extends string> = string & { readonly __kind?: Kind };
