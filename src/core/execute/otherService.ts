/** What a resource whose provider has another address declares may be of another service: two services can have one id. */

import { formatCurl } from "../../api/curl";
import type { Route } from "../../api/routes";
import { paramsOf } from "../../definitions/definition";
import type { Remote } from "../deployment/remote";

/** The fix for what stays in vain. What two addresses lead to cannot be known, so nothing is deleted. */
export const describeOtherService = ({ definition, deployment, id }: Remote, route: Route): string =>
  ` If that is another service, delete it in this one with ` +
  `\`${formatCurl(deployment.client.settings, route, paramsOf(definition, id))}\`.`;
