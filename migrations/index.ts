// One line for each migration, in any order: its name ends with the time that orders it. A released one is never changed.
export { Services1764000000100 } from './1764000000100-services.js';
export { Edge1764000000200 } from './1764000000200-edge.js';
export { Apps1764000000300 } from './1764000000300-apps.js';
export { Identity1764000000400 } from './1764000000400-identity.js';
export { Session1764000000500 } from './1764000000500-session.js';
export { Oauth1764000000600 } from './1764000000600-oauth.js';
export { MagicLink1764000000700 } from './1764000000700-magic-link.js';
export { Otp1764000000800 } from './1764000000800-otp.js';
export { Totp1764000000900 } from './1764000000900-totp.js';
export { Passkey1764000001000 } from './1764000001000-passkey.js';
export { Policy1764000001050 } from './1764000001050-policy.js';
export { Wallet1764000001100 } from './1764000001100-wallet.js';
export { Chain1764000001200 } from './1764000001200-chain.js';
export { Transfer1764000001300 } from './1764000001300-transfer.js';
export { Events1764000001400 } from './1764000001400-events.js';
export { Webhooks1764000001450 } from './1764000001450-webhooks.js';
export { Audit1764000001500 } from './1764000001500-audit.js';
