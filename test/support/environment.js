// Jest's environment for Node, with fast global variables. Jest looks up each one through a proxy, which makes code that
// uses many of them, such as Protocol Buffers, seven times slower.
const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");

module.exports = class extends TestEnvironment {
  constructor(...args) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...args);
    } finally {
      vm.createContext = createContext;
    }
  }
};
