package offer

// bom may stand before a file of Excel.
const bom = "\xef\xbb\xbf"
