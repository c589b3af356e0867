import { readChoice, readPage, type RawSearch } from "../../ui/search-params.ts";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export const deliveryTypes = ["call.pre", "call.post", "message.received"] as const;

/** Which deliveries a page shows. */
export interface DeliveriesSearch {
  page?: number | undefined;
  status?: (typeof deliveryStatuses)[number] | undefined;
  type?: (typeof deliveryTypes)[number] | undefined;
}

export function readDeliveriesSearch(raw: RawSearch): DeliveriesSearch {
  return {
    page: readPage(raw),
    status: readChoice(raw, "status", deliveryStatuses),
    type: readChoice(raw, "type", deliveryTypes),
  };
}
