/** Conditions for accepting calls. */
export class Readiness {
  readonly #conditions: (() => readonly string[])[] = [];

  /**
   * @param findObstacles Returns reasons for the operator why the node cannot accept calls; empty if there are none.
   */
  require(findObstacles: () => readonly string[]): void {
    this.#conditions.push(findObstacles);
  }

  get obstacles(): string[] {
    return this.#conditions.flatMap((findObstacles) => findObstacles());
  }

  get isReady(): boolean {
    return this.#conditions.every((findObstacles) => findObstacles().length === 0);
  }
}
