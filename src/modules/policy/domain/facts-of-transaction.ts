import type { Facts } from './facts.js';
export declare function factsOfTransaction(input: object): Facts;
