import { cleanSvg } from './clean-svg.ts';
import { answerRequests } from './frame-messages.ts';
import { tryImage } from './try-image.ts';

answerRequests((code) => tryImage(cleanSvg(code)));
