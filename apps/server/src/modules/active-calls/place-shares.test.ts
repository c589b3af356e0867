import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaceShares } from "./place-shares.ts";

/** A node with this many places, on which organizations take as many as they get. */
async function openNode({ places = 10, reservedShare = 0.2, organizations = 2 } = {}) {
  const shares = new PlaceShares({ reservedShare, countOrganizations: async () => organizations });
  await shares.refresh();
  const taken: Disposable[] = [];
  return {
    fill: (organizationId: string, calls = Infinity): number => {
      let count = 0;
      while (
        count < calls &&
        places > taken.length &&
        shares.isAllowed(organizationId, places - taken.length)
      ) {
        taken.push(shares.take(organizationId));
        count += 1;
      }
      return count;
    },
    hangUp: () => {
      const call = taken.pop();
      call?.[Symbol.dispose]();
      call?.[Symbol.dispose]();
    },
  };
}

test("no organization takes the places that others may need, and those with few calls get them", async () => {
  const node = await openNode();
  assert.equal(node.fill("hostile"), 8);
  assert.equal(node.fill("other"), 2);
  node.hangUp();
  assert.equal(node.fill("hostile"), 0);
  assert.equal(node.fill("third"), 1);
});

test("an organization with few calls gets a place on a node of any size", async () => {
  for (let places = 2; places < 30; places += 1) {
    const node = await openNode({ places });
    const hostile = node.fill("hostile");
    assert.ok(hostile >= Math.floor(places / 2), `${hostile} of ${places}`);
    assert.ok(node.fill("other", 1) === 1, `${places} places`);
  }
});

test("a single organization has all places, and so has each if the operator reserves none", async () => {
  assert.equal((await openNode({ organizations: 1 })).fill("only"), 10);
  assert.equal((await openNode({ reservedShare: 0 })).fill("first"), 10);
  assert.equal((await openNode({ places: 1 })).fill("first"), 1);
});

test("without a limited number of places nobody is refused", async () => {
  const shares = new PlaceShares({ reservedShare: 0.2, countOrganizations: async () => 2 });
  await shares.refresh();
  assert.ok(shares.isAllowed("any", Infinity));
});
