import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../services/config/config.js';
import { basePathOf, cookiePrefix } from '../http/base-path.js';
import { isFromOwnPage } from './own-page.js';

const TOKEN = /^[0-9A-Za-z]{48}$/;

/** Other origins of the site still send a `SameSite=Strict` cookie, so each call must also show that a page of this service makes it. */
@Injectable()
export class ManagementCookie {
  /** The prefix keeps plain http from setting the cookie, and sub-domains too unless it has a path (RFC 6265bis). */
  private readonly name: string;
  private readonly attributes: string;
  private readonly origin: URL;

  constructor({ baseUrl }: Config) {
    this.origin = new URL(baseUrl);
    const isSecure = this.origin.protocol === 'https:';
    const path = basePathOf(baseUrl);
    this.name = `${isSecure ? cookiePrefix(path) : ''}management_session`;
    this.attributes = `Path=${path || '/'}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  set(response: Response, token: string, seconds: number): void {
    response.append('Set-Cookie', `${this.name}=${token}; Max-Age=${seconds}; ${this.attributes}`);
  }

  clear(response: Response): void {
    response.setHeader('Set-Cookie', `${this.name}=; Max-Age=0; ${this.attributes}`);
  }

  tokenIn(request: Request): string | undefined {
    if (request.headers.cookie === undefined || !isFromOwnPage(request, this.origin)) return undefined;
    const prefix = `${this.name}=`;
    const values = request.headers.cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    // If two cookies have this name, an attacker planted one of them.
    return values.length === 1 && TOKEN.test(values[0]!) ? values[0] : undefined;
  }
}
