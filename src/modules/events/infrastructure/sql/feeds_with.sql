-- Positions are given again after the database was brought back to an older state. The feed of each app keeps the last eight histories of
-- the database, each with the last position that the app had when the history began: up to it, all readers have the same. The database
-- is not brought back more often while events are kept.
create or replace function feeds_with(feeds jsonb, history text, last_position bigint) returns jsonb language sql immutable as $$
  select case when feeds->-1->>0 = history then feeds
              else jsonb_path_query_array(feeds || jsonb_build_array(jsonb_build_array(history, last_position)),
                                          '$[last - 7 to last]') end
$$;
