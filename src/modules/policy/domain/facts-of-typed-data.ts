import type { Facts } from './facts.js';
export declare function factsOfTypedData(input: object): Facts;
