import packageJson from "../package.json" with { type: "json" };

const [, ...startArguments] = packageJson.scripts.start.split(" ");

/** What Node is given by `npm start`, in this folder: whoever starts a platform starts it as an operator does. */
export { startArguments };
