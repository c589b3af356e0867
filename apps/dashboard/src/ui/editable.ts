import { createContext } from "react";

/** False within fields that can only be read. Native inputs learn it from their fieldset, other editors from here. */
export const EditableContext = createContext(true);
