import { decodeBase58, encodeBase58, hashMessage, toBeArray, zeroPadBytes, zeroPadValue } from 'ethers';
import { createPublicKey, verify } from 'node:crypto';
import { ethereumAddressOf } from '../../../platform/crypto/ethereum-address.js';
import { SignatureVerifier } from '../domain/signature-verifier.js';
import type { WalletType } from '../domain/wallet-type.js';
import type { ContractSignatures } from './contract-signatures.js';
import { isHexBytes } from './ethereum-fields.js';
import { addressOf } from './ethers-signer.js';
import type { Secp256k1 } from './secp256k1-signature.js';
