import { type CurrentCall, runCall } from '../../src/kernel/current-call.js';
import { Overloaded } from '../../src/kernel/errors.js';
import { WaitingRoom } from '../../src/postgres/waiting-room.js';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Enters as a call of the app, and resolves to what leaves again. */
function enter(room: WaitingRoom, call: CurrentCall): Promise<() => void> {
  return new Promise((resolve, reject) => runCall(call, () => void room.enter().then(resolve, reject)));
}

describe('the waiting room', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('counts calls that were let in together before they ask, and lets in no more than may wait', async () => {
    const room = new WaitingRoom(1);
    const leave = await enter(room, { appId: 'a' });
    const calls = Array.from({ length: 300 }, () => ({ appId: 'a' }));
    const letIn = calls.filter((call) => room.admits(call, 'a'));
    expect([letIn.length, room.refused]).toEqual([250, 50]);
    expect(room.admits({ appId: 'b' }, 'b')).toBe(true);
    const [first, second, ...others] = letIn;
    room.forget(first!);
    const waiting = [second!, ...others].map(async (call) => (await enter(room, call))());
    await turns();
    expect(room.waiting).toBe(249);
    expect([{ appId: 'a' }, { appId: 'a' }].map((call) => room.admits(call, 'a'))).toEqual([true, false]);
    leave();
    await Promise.all(waiting);
    expect(room.admits({ appId: 'a' }, 'a')).toBe(true);
  });

  it('counts a call that was let in and never asks for a second only', async () => {
    const room = new WaitingRoom(1);
    await enter(room, { appId: 'a' });
    const letIn = () => Array.from({ length: 300 }, () => room.admits({ appId: 'a' }, 'a')).filter(Boolean).length;
    expect(letIn()).toBe(250);
    const later = performance.now() + 1_001;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(letIn()).toBe(250);
    clock.mockRestore();
  });

  it('admits apps in turn, each in its order', async () => {
    const room = new WaitingRoom(1);
    const leave = await enter(room, { appId: 'a' });
    const order: string[] = [];
    const done = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
      const leaveAgain = await enter(room, { appId: name[0]! });
      order.push(name);
      leaveAgain();
    });
    expect(room.waiting).toBe(6);
    leave();
    await Promise.all(done);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(room.waiting).toBe(0);
  });

  it('admits calls that have begun before others, and does not let a newcomer take the place of one that waits', async () => {
    const room = new WaitingRoom(1);
    const begun = { appId: 'a' };
    (await enter(room, begun))();
    const leave = await enter(room, { appId: 'b' });
    const order: string[] = [];
    const inOrder = async (name: string, call: CurrentCall) => {
      const end = await enter(room, call);
      order.push(name);
      return end;
    };
    const other = inOrder('other', { appId: 'a' });
    const again = inOrder('begun', begun);
    leave();
    const newcomer = inOrder('newcomer', { appId: 'd' });
    await turns();
    expect(order).toEqual(['begun']);
    (await again)();
    (await other)();
    (await newcomer)();
    expect(order).toEqual(['begun', 'other', 'newcomer']);
  });

  it('lets a call that has a connection take another one, which it would otherwise wait for without end', async () => {
    const room = new WaitingRoom(1);
    const call = { appId: 'a' };
    const leave = await enter(room, call);
    const leaveSecond = await enter(room, call);
    const next = enter(room, { appId: 'b' });
    leaveSecond();
    await turns();
    expect(room.waiting).toBe(1);
    leave();
    (await next)();
  });

  it('refuses the 251st waiting call of an app at once, and beyond 1,000 of all those of apps that wait already', async () => {
    const room = new WaitingRoom(1);
    await enter(room, { appId: 'a' });
    const waitOf = (appId: string, calls: number) => {
      for (let call = 0; call < calls; call++) enter(room, { appId }).catch(() => undefined);
    };
    waitOf('a', 250);
    await expect(enter(room, { appId: 'a' })).rejects.toThrow(Overloaded);
    for (const appId of ['b', 'c', 'd']) waitOf(appId, 250);
    waitOf('e', 1);
    await expect(enter(room, { appId: 'e' })).rejects.toThrow(Overloaded);
    expect([room.waiting, room.refused]).toEqual([1_001, 2]);
  });

  it('refuses a call after ten seconds in which no connection became free, and passes over one whose client has gone', async () => {
    jest.useFakeTimers();
    const room = new WaitingRoom(1);
    const leave = await enter(room, { appId: 'a' });
    const late = enter(room, { appId: 'a' });
    late.catch(() => undefined);
    jest.advanceTimersByTime(9_999);
    expect(room.waiting).toBe(1);
    jest.advanceTimersByTime(1);
    await expect(late).rejects.toThrow(Overloaded);
    const gone = { appId: 'a', isGone: false };
    const left = enter(room, gone);
    left.catch(() => undefined);
    const next = enter(room, { appId: 'a' });
    gone.isGone = true;
    leave();
    await expect(left).rejects.toThrow(Overloaded);
    (await next)();
  });

  it('lets a call wait for longer while connections become free for others', async () => {
    jest.useFakeTimers();
    const room = new WaitingRoom(1);
    const begun = [{ appId: 'a' }, { appId: 'a' }, { appId: 'a' }];
    for (const call of begun) (await enter(room, call))();
    let leave = await enter(room, { appId: 'a' });
    const late = enter(room, { appId: 'b' });
    for (const call of begun) {
      jest.advanceTimersByTime(7_000);
      const next = enter(room, call);
      leave();
      leave = await next;
    }
    jest.advanceTimersByTime(7_000);
    expect(room.waiting).toBe(1);
    leave();
    (await late)();
    expect(room.refused).toBe(0);
  });

  it('holds no background work', async () => {
    const room = new WaitingRoom(1);
    await enter(room, { appId: 'a' });
    (await room.enter())();
    expect(room.waiting).toBe(0);
  });
});
