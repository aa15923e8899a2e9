/** Whether jest was started with `-u`: then what tests compare with is written again. */
export const isUpdatingSnapshots = () =>
  (expect.getState() as { snapshotState?: { _updateSnapshot?: string } }).snapshotState?._updateSnapshot === "all";
