import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';

const MOST_FEEDS = 1_000;

const LAST_POSITIONS = `
  select p.app_id as "appId", p.last_position::float8 as position
    from unnest($1::text[]) as seen (app_id) join event_positions p on p.app_id = seen.app_id
   where not pg_is_in_recovery()`;

/** No feed loses a position, unless the database is brought back to an earlier state. */
@Injectable()
export class FeedPositions {
  /** The one that is longest without events is forgotten first: a database that has lost later ones shows it by another. */
  private readonly seen = new Map<string, number>();
  private readonly followed = new Set<string>();
  private hasSeenEarlier = false;

  constructor(private readonly database: Database) {}

  /** Call it after the commit. */
  see(appId: string, position: number): void {
    if (position < (this.seen.get(appId) ?? 0)) this.hasSeenEarlier = true;
    this.seen.delete(appId);
    this.seen.set(appId, position);
    if (this.seen.size > MOST_FEEDS) this.seen.delete(this.seen.keys().next().value!);
  }

  /** Its position is known from the next comparison on. Only then may another be forgotten for it. */
  follow(appId: string): void {
    const position = this.seen.get(appId);
    if (position !== undefined) this.see(appId, position);
    else if (this.followed.size < MOST_FEEDS) this.followed.add(appId);
  }

  /** A feed that the database does not have shows nothing. */
  async haveGoneBack(): Promise<boolean> {
    if (this.seen.size + this.followed.size === 0) return false;
    // This process may advance a feed while its position is read.
    const seen = new Map(this.seen);
    const appIds = [...new Set([...seen.keys(), ...this.followed])];
    const rows = await this.database.list<{ appId: string; position: number }>(LAST_POSITIONS, [appIds]);
    for (const { appId, position } of rows)
      if (this.followed.delete(appId)) this.see(appId, Math.max(position, this.seen.get(appId) ?? 0));
      else if (position > (this.seen.get(appId) ?? Infinity)) this.seen.set(appId, position);
    return this.hasSeenEarlier || rows.some(({ appId, position }) => position < (seen.get(appId) ?? 0));
  }

  forget(): void {
    this.seen.clear();
    this.followed.clear();
    this.hasSeenEarlier = false;
  }
}
