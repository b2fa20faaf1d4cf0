/** How `hearth log` shows the file of the server's log. */
export { createTextLog } from '../../telemetry/text-log.ts';
