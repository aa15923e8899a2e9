/** What each response teaches about the service's rate limit. */
import { type RateLimitNotice, ServiceLimit } from "../../src/api/serviceLimit";

type Response = [sentAt: number, at: number, report?: Partial<RateLimitNotice>, isRepeated?: boolean];

/** A limit after these responses. Each request is sent when the one before it was answered, or at least later. */
function learnWith(random: number, ...responses: Response[]): ServiceLimit {
  const limit = new ServiceLimit(() => random);
  for (const [sentAt, at, report, isRepeated = false] of responses) {
    limit.learn(limit.addRequest(sentAt, isRepeated), at, { isRejected: false, ...report });
  }
  return limit;
}

const learn = (...responses: Response[]) => learnWith(0.5, ...responses);

const rejected = { isRejected: true };
const accepted = (count: number) => Array.from({ length: count }, (_, index): Response => [10 * index, 10 * index + 5]);
const three = accepted(3);
const second: Response[] = [...three, [30, 35, rejected]];
/** The service says that three requests make room for others after a minute. */
const minute: Response[] = [...three, [30, 35, { ...rejected, retryAfter: 60_000 }]];
/** The same with other numbers, when the first of them has made room, and a request took it. */
const afterMinute = (count: number): Response[] => [
  ...accepted(count),
  [10 * count, 10 * count + 5, { ...rejected, retryAfter: 60_000 }],
  [60_500, 60_505],
];

test("while nothing is rejected, there is room for any number of requests at once", () => {
  const limit = learn(...three);
  expect([limit.isKnown, limit.isTrying, limit.findRoom(25)]).toEqual([false, false, 25]);
  expect(limit.addRequest(25, false).isTry).toBe(false);
  expect(learn().isTrying).toBe(false);
});

test.each<[string, responses: Response[], now: number, room: number]>([
  ["no request is sent before the time in Retry-After", [[0, 10, { ...rejected, retryAfter: 30_000 }]], 10, 30_010],
  ["no request is sent before the reset that a rejection names", [[0, 10, { ...rejected, reset: 30_000 }]], 10, 30_010],
  ["Retry-After counts more than the reset", [[0, 10, { ...rejected, retryAfter: 20_000, reset: 30_000 }]], 10, 20_010],
  [
    "a Retry-After of hours stops requests for 2 minutes",
    [[0, 10, { ...rejected, retryAfter: 7_200_000 }]],
    10,
    120_010,
  ],
  ["if nothing was accepted, the next request comes soon", [[0, 10, rejected]], 10, 135],
  ["an accepted request makes room after a second", second, 35, 1_006],
  ["an accepted request makes no room earlier", second, 1_005, 1_006],
  ["an accepted request makes room at that time", second, 1_006, 1_006],
  ["each accepted request makes room for one", [...second, [1_006, 1_010]], 1_010, 1_016],
  [
    "accepted requests make room in the order of their responses",
    [
      [0, 90],
      [10, 15],
      [20, 95, rejected],
    ],
    95,
    1_016,
  ],
  ["Retry-After shows the window and the wait", minute, 35, 59_035],
])("%s", (_, responses, now, room) => {
  expect(learn(...responses).findRoom(now)).toBe(room);
});

/** How many requests can be sent now; then whether one more is tried, or when there is room for it. */
function fill(limit: ServiceLimit, now: number) {
  let count = 0;
  while (count < 50 && limit.findRoom(now) <= now) {
    if (limit.addRequest(now, false).isTry) return { count, tries: true };
    count++;
  }
  return { count, room: limit.findRoom(now) };
}

test.each<[string, responses: Response[], now: number, ReturnType<typeof fill>]>([
  ["the share is the number of requests that were accepted in a window", second, 2_000, { count: 3, room: 2_135 }],
  [
    "a retry that is rejected leaves the share as it is",
    [...second, [1_100, 1_105, rejected, true]],
    1_355,
    { count: 3, room: 2_356 },
  ],
  [
    "a new request that is rejected reduces the share to the requests of its window",
    [...second, [1_100, 1_105, rejected]],
    1_355,
    { count: 0, tries: true },
  ],
  [
    "after a second rejection all requests pause",
    [...second, [1_100, 1_105, rejected, true]],
    1_200,
    { count: 0, room: 1_355 },
  ],
  [
    "a rejection of a request that was sent before the last one causes no longer pause",
    [
      [0, 10, rejected],
      [9, 12, rejected],
    ],
    12,
    { count: 0, room: 135 },
  ],
  [
    "a rejection of a request that was sent after the last one causes a longer pause",
    [
      [0, 10, rejected],
      [10, 12, rejected],
    ],
    12,
    { count: 0, room: 262 },
  ],
  [
    "pauses grow with rejections, without those of requests that were sent before the last one",
    [
      [0, 10, rejected],
      [9, 12, rejected],
      [135, 140, rejected],
    ],
    140,
    { count: 0, room: 390 },
  ],
  [
    "after a first rejection no request pauses",
    [...second, [1_006, 1_010], [1_100, 1_105, rejected, true]],
    1_105,
    { count: 2, room: 2_011 },
  ],
  [
    "a window that is longer than known is learned",
    [...second, [4_900, 4_910, rejected, true], [5_010, 5_015]],
    5_160,
    { count: 2, room: 7_010 },
  ],
  [
    "a window that fits no request is not learned",
    [...second, [3_900, 3_910, rejected, true], [4_010, 4_015]],
    4_160,
    { count: 2, room: 5_016 },
  ],
])("%s", (_, responses, now, expected) => {
  expect(fill(learn(...responses), now)).toEqual(expected);
});

test("a request ends the rejections only if it was sent after the last of them", () => {
  expect(learn(...second).isTrying).toBe(true);
  expect(learn(...second, [1_100, 1_105]).isTrying).toBe(false);
  expect(learn(...second, [1_100, 1_105, rejected, true], [1_105, 1_110]).isTrying).toBe(false);
  const limit = new ServiceLimit(() => 0.5);
  const [first, other] = [limit.addRequest(0, false), limit.addRequest(1, false)];
  limit.learn(first, 10, rejected);
  limit.learn(other, 12, { isRejected: false });
  expect(limit.isTrying).toBe(true);
});

test("pauses double to a second, and then grow with the time since the first rejection, to 5 seconds", () => {
  const pausesWith = (random: number, count: number) => {
    const limit = new ServiceLimit(() => random);
    let now = 100_000;
    return Array.from({ length: count }, (_, index) => {
      limit.learn(limit.addRequest(now, index > 0), now, rejected);
      const pause = limit.findRoom(now) - now;
      now += pause;
      return pause;
    });
  };
  const pauses = pausesWith(0.5, 30);
  expect(pauses.slice(0, 12)).toEqual([125, 250, 500, ...Array(8).fill(1_000), 1_109.375]);
  expect(pauses.at(-1)).toBe(5_000);
  expect([0, 1].map((random) => pausesWith(random, 1)[0])).toEqual([93.75, 156.25]);
});

describe("a request more than the share", () => {
  /** All requests of the share, and one more, which is rejected. */
  const full = (share: number): Response[] => [
    ...afterMinute(share),
    ...Array.from({ length: share - 1 }, (_, index): Response => [60_600 + index, 60_601 + index]),
    [60_700, 60_705, rejected],
  ];

  test.each([
    ["a small", 1, 1_500],
    ["a", 3, 2_100],
    ["a large", 12, 7_000],
  ])("of %s share is tried after a while, which depends on it", (_, share, pause) => {
    expect(learn(...full(share)).findRoom(60_705)).toBe(60_705 + pause);
    const varied = [0, 1].map((random) => learnWith(random, ...full(share)).findRoom(60_705) - 60_705);
    expect(varied).toEqual([0.75 * pause, 1.25 * pause]);
  });

  test("is tried at once after one that was accepted, and then sooner than before", () => {
    const grown: Response[] = [...full(12), [67_705, 67_710]];
    expect(fill(learn(...grown), 67_710)).toEqual({ count: 0, tries: true });
    const again: Response[] = [...grown, [67_710, 67_715, rejected]];
    expect(learn(...again).findRoom(67_715)).toBe(67_715 + 13 * 300);
    const andAgain: Response[] = [
      ...again,
      [71_615, 71_620],
      [71_620, 71_625, rejected],
      [75_825, 75_830, rejected, true],
    ];
    expect(learn(...andAgain).findRoom(75_830)).toBe(75_830 + 7_000);
  });

  test("is a try, and the next requests wait for its response", () => {
    const limit = learn(...full(3), [62_805, 62_810]);
    expect(limit.isTrying).toBe(true);
    limit.addRequest(130_000, false);
    expect(limit.isTrying).toBe(false);
  });
});

describe("the window", () => {
  /** When the first of the requests of which the service told no longer counts. */
  const findEnd = (...responses: Response[]) => {
    const times = [1, 2, 5, 10, 15, 20, 30, 60, 120].map((seconds) => seconds * 1_000);
    return times.find((time) => {
      const [before, after] = [5, 6].map((ms) => learn(...responses).addRequest(time + ms, false).isTry);
      return before && !after;
    });
  };

  test.each([2, 5, 10, 15, 20, 30, 60, 120])("of %d seconds is learned from Retry-After", (seconds) => {
    expect(findEnd(...three, [30, 35, { ...rejected, retryAfter: seconds * 1_000 + 30 }])).toBe(seconds * 1_000);
  });

  test.each([
    ["at the end of a window", 705, 9_000, 1_000],
    ["a little later", 706, 9_000, 10_000],
    ["at its begin", 305, 11_000, 1_000],
    ["a little sooner", 304, 11_000, 10_000],
  ])("is learned if it fits, to 3 %%: %s", (_, at, retryAfter, window) => {
    const isLearned = learn([0, 5], [at, at, { ...rejected, retryAfter }]).addRequest(9_990, false).isTry;
    expect(isLearned).toBe(window === 10_000);
  });

  test("is not learned from a wait that is not longer than the known one", () => {
    const limit = learn(...three, [30, 35, { ...rejected, retryAfter: 2_000 }]);
    expect(limit.addRequest(1_100, false).isTry).toBe(false);
  });

  test("has only the requests that the service still counts", () => {
    const earlier: Response[] = [
      [0, 5],
      [90_020, 90_025],
      [100_000, 100_005],
      [100_010, 100_025],
    ];
    const limit = learn(...earlier, [100_020, 100_025, { ...rejected, retryAfter: 10_000 }]);
    expect(fill(limit, 110_100)).toEqual({ count: 2, tries: true });
    expect(
      learn(...earlier, [100_020, 100_025, { ...rejected, retryAfter: 10_000 }]).addRequest(110_005, false).isTry,
    ).toBe(true);
  });
});

describe("headers with the number of remaining requests", () => {
  test.each<[Partial<RateLimitNotice>, now: number, ReturnType<typeof fill>]>([
    [{ remaining: 9, limit: 10, reset: 5_000, window: 1_000 }, 10, { count: 9, room: 1_011 }],
    [{ remaining: 9, limit: 10, reset: 5_000, window: 60_000 }, 10, { count: 9, room: 60_011 }],
    // Others use the limit, too.
    [{ remaining: 5, limit: 10, reset: 5_000, window: 1_000 }, 10, { count: 2, room: 1_011 }],
    [{ remaining: 5, reset: 5_000 }, 10, { count: 2, room: 1_011 }],
    [{ remaining: 0, limit: 10, reset: 5_000, window: 60_000 }, 10, { count: 0, room: 5_010 }],
    [{ remaining: 0, limit: 10, reset: 5_000, window: 1_000 }, 2_000, { count: 0, room: 4_010 }],
    [{ remaining: 0, limit: 10 }, 10, { count: 0, tries: true }],
    [{ remaining: 0, limit: 10, reset: 500_000, window: 600_000 }, 120_010, { count: 0, room: 120_011 }],
  ])("%j", (report, now, expected) => {
    expect(fill(learn([0, 10, report]), now)).toEqual(expected);
  });

  test("count only the requests that were sent before the response", () => {
    const limit = new ServiceLimit(() => 0.5);
    const [first] = [limit.addRequest(0, false), limit.addRequest(5, false)];
    limit.learn(first!, 10, { isRejected: false, remaining: 5, limit: 10 });
    expect(fill(limit, 10)).toMatchObject({ count: 1 });
  });

  test("are believed more than Retry-After", () => {
    const limit = learn(
      [0, 10, { remaining: 5, limit: 10, window: 1_000 }],
      [20, 25, { ...rejected, retryAfter: 60_000 }],
    );
    expect(limit.addRequest(2_000, false).isTry).toBe(false);
  });
});
