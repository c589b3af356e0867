import packageJson from "../package.json" with { type: "json" };

const [, ...startArguments] = packageJson.scripts.start.split(" ");

/** Arguments of Node in `npm start`: tests start a platform as an operator does. */
export { startArguments };
