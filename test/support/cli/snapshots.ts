/** Whether jest was started with `-u`, which updates the recorded files that tests compare with. */
export const isUpdatingSnapshots = () =>
  (expect.getState() as { snapshotState?: { _updateSnapshot?: string } }).snapshotState?._updateSnapshot === "all";
