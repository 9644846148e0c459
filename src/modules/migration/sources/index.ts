import { AUTH0 } from './auth0.js';
import { CLERK } from './clerk.js';
import { FIREBASE } from './firebase.js';
import { KEYCLOAK } from './keycloak.js';
import { NATIVE } from './native.js';
import { STYTCH } from './stytch.js';
import { SUPABASE } from './supabase.js';

export const SOURCES = {
  stytch: STYTCH,
  clerk: CLERK,
  supabase: SUPABASE,
  firebase: FIREBASE,
  auth0: AUTH0,
  keycloak: KEYCLOAK,
  native: NATIVE,
} as const;

export type SourceName = keyof typeof SOURCES;
