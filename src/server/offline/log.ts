/** Format in which `hearth log` shows the server's log file. */
export { createTextLog } from '../../telemetry/text-log.ts';
