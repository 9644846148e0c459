interface Run<T> {
  readonly current: Promise<T>;
  next?: Promise<T>;
}

/** Each key has one run at a time. Callers choose which run they share. */
export class SharedRuns<T = void> {
  private readonly runs = new Map<string, Run<T>>();

  join(key: string, task: () => Promise<T>): Promise<T> {
    return this.runs.get(key)?.current ?? this.begin(key, task);
  }

  /** The first run that begins after this call, so that it sees every row that the caller has seen. */
  follow(key: string, task: () => Promise<T>): Promise<T> {
    const run = this.runs.get(key);
    const begin = (): Promise<T> => this.begin(key, task);
    return run ? (run.next ??= run.current.then(begin, begin)) : begin();
  }

  async own(key: string, task: () => Promise<T>): Promise<T> {
    for (let run = this.runs.get(key); run; run = this.runs.get(key)) await run.current.catch(() => undefined);
    return this.begin(key, task);
  }

  private begin(key: string, task: () => Promise<T>): Promise<T> {
    const run: Run<T> = {
      current: task().finally(() => {
        // The entry must stay while a next run waits, otherwise a caller could begin a run beside it.
        if (!run.next) this.runs.delete(key);
      }),
    };
    this.runs.set(key, run);
    return run.current;
  }
}
