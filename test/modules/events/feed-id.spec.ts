import { feedIdOf, type FeedHistory, lastCommonPosition } from '../../../src/modules/events/domain/event-feed.js';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(12)) as [string, string, string, string];

describe('the last position that two feeds have', () => {
  const cases: readonly (readonly [string, FeedHistory[], FeedHistory[], number, number])[] = [
    ['is the last one of the same feed', [[A, 0]], [[A, 0]], 70, 70],
    [
      'is that of the restored state',
      [[A, 0]],
      [
        [A, 0],
        [B, 50],
      ],
      70,
      50,
    ],
    [
      'is the lowest of several restored states',
      [[A, 0]],
      [
        [A, 0],
        [B, 50],
        [C, 40],
      ],
      70,
      40,
    ],
    [
      'is the lower end of two branches',
      [
        [A, 0],
        [B, 50],
      ],
      [
        [A, 0],
        [C, 80],
      ],
      90,
      50,
    ],
    [
      'is the lower end of two branches, seen from the other one',
      [
        [A, 0],
        [B, 80],
      ],
      [
        [A, 0],
        [C, 50],
      ],
      90,
      50,
    ],
    [
      'counts from the last history that both have',
      [
        [A, 0],
        [B, 10],
        [C, 60],
      ],
      [
        [A, 0],
        [B, 10],
        [D, 55],
      ],
      90,
      55,
    ],
    [
      'is not above the last position',
      [
        [A, 0],
        [B, 80],
      ],
      [[A, 0]],
      60,
      60,
    ],
    [
      'distinguishes the same history by where it began',
      [
        [A, 0],
        [B, 50],
      ],
      [
        [A, 0],
        [B, 30],
      ],
      90,
      30,
    ],
    ['is 0 of a feed of another service', [[D, 0]], [[A, 0]], 90, 0],
  ];
  it.each(cases)('%s', (_, other, own, lastPosition, common) => {
    expect(lastCommonPosition(own, feedIdOf(other), lastPosition)).toBe(common);
  });

  it.each(['', 'feed_', 'feed_x.1', `feed_${A}`, `feed_${A}.0-`, `feed_${`${A}.0-`.repeat(8)}${A}.0`, `feed_${A}.0 `])(
    'is 0 of what is no id: %j',
    (text) => {
      expect(lastCommonPosition([[A, 0]], text, 90)).toBe(0);
    },
  );
});
