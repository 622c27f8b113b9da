// Counts what the intake answers, by HTTP status, for a monitoring program: 201 and 303 are leads that were accepted.

/** How many answers had each status since the start. */
export type AnswerCounts = ReadonlyMap<number, number>;

/**
 * Wraps a handler so that `count` is called with the status of each answer. An exception is counted as a 500, and thrown on. Where
 * `isAborted` says that the request's connection was closed, an exception is no answer and is not counted.
 */
export const countingAnswers =
  <Request extends unknown[], Answer extends { status: number }>(
    handle: (...request: Request) => Promise<Answer>,
    count: (status: number) => void,
    isAborted: (...request: Request) => boolean = () => false,
  ) =>
  async (...request: Request): Promise<Answer> => {
    const answer = await handle(...request).catch((error) => {
      if (!isAborted(...request)) count(500);
      throw error;
    });
    count(answer.status);
    return answer;
  };

/** Makes the counts and what adds to them. */
export function makeAnswerCounts(): { counts: AnswerCounts; count(status: number): void } {
  const counts = new Map<number, number>();
  return { counts, count: (status) => void counts.set(status, (counts.get(status) ?? 0) + 1) };
}
