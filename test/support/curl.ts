/** What messages say of a DELETE that the user sends. */
export const curlDelete = (url: string, path: string) =>
  `\`curl -X DELETE ${url}${path} -H "Authorization: Bearer $TUNNEL_EDGE_API_KEY" -H 'Service-Version: 2'\` (set TUNNEL_EDGE_API_KEY first)`;
