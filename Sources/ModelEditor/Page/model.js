// Reads the tree of a model: items by name, lists of names, the words of the editor.

/** The types of attributes in the order of the list, with the letters that stand for them. */
export const TYPES = [
  ["Undefined", "?"], ["Integer 16", "N"], ["Integer 32", "N"], ["Integer 64", "N"], ["Decimal", "N"], ["Double", "N"],
  ["Float", "N"], ["String", "S"], ["Boolean", "B"], ["Date", "D"], ["Binary", "01"], ["UUID", "ID"], ["URI", "U"],
  ["Transformable", "T"], ["Object ID", "O"], ["Composite", "C"],
];

/** Older names of types in files, with the names of today. */
const OLD_TYPES = { "Binary Data": "Binary", ObjectID: "Object ID" };

export function typeOf(attribute) {
  const { attributeType, composite } = attribute.settings;
  if (!attributeType) return composite ? "Composite" : "Undefined";
  return OLD_TYPES[attributeType] ?? attributeType;
}

export const typeLetter = (type) => TYPES.find(([name]) => name === type)?.[1] ?? "?";
export const NUMBERS = new Set(["Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float"]);
/** Types that code may have in a scalar form. */
export const SCALARS = new Set(["Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Boolean", "Date", "UUID"]);

export const KINDS = {
  entity: "Entity", composite: "Composite", fetchRequest: "Fetch Request", configuration: "Configuration",
  attribute: "Attribute", relationship: "Relationship", fetchedProperty: "Fetched Property", fetchIndex: "Fetch Index",
  model: "Model", uniquenessConstraint: "Constraint",
};

/** What constraints are called as members of an entity, by their names with commas. */
export const CONSTRAINT = "uniquenessConstraint";

export const childrenOf = (element, kind) => (element?.children ?? []).filter((child) => child.kind === kind);
export const nameOf = (element) => element?.settings.name ?? "";
export const names = (element, kind) => childrenOf(element, kind).map(nameOf);
export const isOn = (element, setting) => /^(yes|true|1)$/i.test(element.settings[setting] ?? "");

const find = (element, kind, name) =>
  element.children.findIndex((child) => child.kind === kind && nameOf(child) === name);

/** The position of an item in the tree, or null. */
export function resolve(root, item) {
  if (item.kind === "model") return [];
  const outer = find(root, item.kind, item.name);
  if (outer < 0) return null;
  if (!item.member) return [outer];
  // A constraint is changed with its entity.
  if (item.member.kind === CONSTRAINT) {
    return constraintsOf(root.children[outer]).some((constraint) => constraint.join(",") === item.member.name) ? [outer] : null;
  }
  const inner = find(root.children[outer], item.member.kind, item.member.name);
  if (inner < 0) return null;
  // The request of a fetched property is one further down.
  if (!item.inner) return [outer, inner];
  const request = root.children[outer].children[inner].children.findIndex((child) => child.kind === item.inner);
  return request < 0 ? null : [outer, inner, request];
}

/** The element at a position. */
export const elementAt = (root, path) => path.reduce((element, index) => element?.children[index], root);

/** The element of an item, or null. */
export function elementOf(root, item) {
  const path = resolve(root, item);
  return path ? elementAt(root, path) : null;
}

export const sameItem = (a, b) =>
  Boolean(a && b) && a.kind === b.kind && a.name === b.name && a.member?.kind === b.member?.kind && a.member?.name === b.member?.name;

/** An entity with those that it inherits from, nearest first. */
export function lineage(root, name) {
  const found = [];
  let entity = childrenOf(root, "entity").find((child) => nameOf(child) === name);
  while (entity && !found.includes(entity)) {
    found.push(entity);
    const parent = entity.settings.parentEntity;
    entity = childrenOf(root, "entity").find((child) => nameOf(child) === parent);
  }
  return found;
}

/** The names of all properties of an entity of some kinds, inherited ones included. */
export const propertyNames = (root, name, kinds) =>
  [...new Set(lineage(root, name).flatMap((entity) => kinds.flatMap((kind) => names(entity, kind))))].sort();

/** The relationships that can be the inverse of one. */
export function inverseChoices(root, entity, relationship) {
  const destination = relationship.settings.destinationEntity;
  if (!destination) return [];
  const own = new Set(lineage(root, entity).map(nameOf));
  const leadsBack = (other) => {
    const target = other.settings.destinationEntity;
    return !target || own.has(target) || lineage(root, target).some((parent) => nameOf(parent) === entity);
  };
  return lineage(root, destination).flatMap((holder) => childrenOf(holder, "relationship").filter(leadsBack)).map(nameOf);
}

/** The constraints of an entity, each a list of names. */
export const constraintsOf = (entity) =>
  childrenOf(childrenOf(entity, "uniquenessConstraints")[0], "uniquenessConstraint").map((constraint) =>
    childrenOf(constraint, "constraint").map((part) => part.settings.value ?? ""));

/** The entries of the user info of an element. */
export const userInfoOf = (element) =>
  childrenOf(element, "userInfo").flatMap((table) => childrenOf(table, "entry"))
    .map(({ settings }) => ({ key: settings.key ?? "", value: settings.value ?? "" }));

/** The elements of an index as an edit has them. */
export const indexElements = (index) =>
  childrenOf(index, "fetchIndexElement").map(({ settings }) => ({
    property: settings.property ?? null, expression: settings.expression ?? null,
    expressionType: settings.expressionType ?? null, type: /^r/i.test(settings.type ?? "") ? "RTree" : "Binary",
    isAscending: settings.order !== "descending",
  }));

/** What a finding is about, as it is called here. */
export const nameIn = ({ kind, property }) => (kind === CONSTRAINT ? property?.replaceAll(", ", ",") : property);

/** The findings of the analysis about an item. */
export function findingsFor(analysis, item) {
  const { kind, name, member } = item;
  // A finding that has the kind of its name is not about another kind.
  const isOf = (finding, other) => nameIn(finding) === other.name && (!finding.kind || finding.kind === other.kind);
  return (analysis?.findings ?? []).filter((finding) => {
    if (kind === "entity") return finding.entity === name && (member ? isOf(finding, member) : true);
    if (kind === "model") return !finding.entity && !finding.property;
    return !finding.entity && isOf(finding, item);
  });
}
